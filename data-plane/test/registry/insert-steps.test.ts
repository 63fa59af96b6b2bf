import { newId } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectDatabase, type Database } from '../../src/registry/connect.ts';
import { findStep } from '../../src/registry/steps/find-step.ts';
import { insertSteps } from '../../src/registry/steps/insert-steps.ts';
import { recordSteps, type StepRecord } from '../../src/registry/steps/record-steps.ts';
import { intentRecord } from '../../src/steps/intent-and-end.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { activeSession } from '../support/registry-rows.ts';

let database: TestDatabase;
let db: Database;
/** As another replica has it. */
let otherDb: Database;
beforeAll(async () => {
  database = await createTestDatabase();
  db = database.db;
  otherDb = connectDatabase({ ...database.address, poolMax: 1 });
});
afterAll(async () => {
  await otherDb.close();
  await database.drop();
});

/** Array literals, JSON and SQL each give some of these characters a meaning. */
const hardText = 'a "quoted" \\ {back,slash}\n\ttab, é 🙂 \'null\' \\" %s $1 {}';

const sessionIds = (count: number) =>
  Promise.all(Array.from({ length: count }, async () => (await activeSession(db)).id));

function intent(sessionId: string, given: Partial<StepRecord> = {}): StepRecord {
  const start = { id: newId('stp'), sessionId, contextId: 'python', language: 'python', code: 'x', job: null } as const;
  const more = {
    actor: 'agent',
    actorName: null,
    keyId: null,
    epoch: 1,
    timeoutMs: 1000,
    queuedAt: new Date(0),
  } as const;
  return { ...intentRecord({ ...start, ...more }, { replicaId: 'rep', mayHaveRow: false }), ...given };
}

const end = (sessionId: string, given: Partial<StepRecord> = {}): StepRecord =>
  intent(sessionId, {
    status: 'succeeded',
    outcome: { tag: 'ok' },
    contextEpoch: 2,
    executionCount: 3,
    startedAt: new Date(1),
    finishedAt: new Date('2026-01-02T03:04:05.678Z'),
    durationMs: 0.125,
    events: Buffer.from('frames'),
    ...given,
  });

const rowOf = ({ id, sessionId }: StepRecord) => findStep(db, { sessionId, stepId: id });

const hard: ((sessionId: string) => StepRecord)[] = [
  intent,
  end,
  (id) => end(id, { code: hardText, contextId: hardText, cause: { code: 'kernel_exited', message: hardText } }),
  (id) => end(id, { code: '', contextId: 'null', events: Buffer.alloc(0) }),
  (id) => end(id, { contextId: null, events: Buffer.from([0, 255, 92, 34, 10]), truncated: true, exitCode: -9 }),
  (id) => end(id, { startedAt: null, durationMs: null, contextEpoch: null, executionCount: null, events: null }),
  (id) => end(id, { durationMs: 1.5e-7, longEvents: [Buffer.from('long '), Buffer.from('events')] }),
  (id) => intent(id, { code: hardText, replicaId: hardText }),
];

/** Up to 16 are written by statements for 2, 4, 8, 12 and 16 rows, more by arrays. */
const amounts = [2, 5, hard.length, 16, 17];

test.each(amounts)(
  '%d intents and ends that are written together have the same rows as those that are written alone',
  async (amount) => {
    const ids = await sessionIds(amount);
    const rows = ids.map((id, i) => (hard[i % hard.length] as (typeof hard)[number])(id));
    const numbers = await insertSteps(db, rows.toReversed());
    expect(numbers).toEqual(new Map(rows.map(({ id }) => [id, 1])));
    for (const row of rows) {
      const alone = { ...row, id: newId('stp') };
      expect(await recordSteps(db, [alone])).toEqual(new Map([[alone.id, 2]]));
      const expected = { ...(await rowOf(alone)), id: row.id, number: 1, assignedAt: expect.any(Date) };
      expect(await rowOf(row)).toEqual(expected);
    }
    const counted = await db.sql<{ number: number; counted: number; there: number }[]>`
    select step_count as number, history_bytes::float8 as counted,
      (select sum(octet_length(code) + coalesce(octet_length(events), 0))::float8 from steps where session_id = s.id) as there
    from sessions s where id = any(${ids}::text[])`;
    expect(counted.map(({ number }) => number)).toEqual(ids.map(() => 2));
    expect(counted.map(({ counted }) => counted)).toEqual(counted.map(({ there }) => there));
  },
);

test('new steps of one session are numbered in the order in which they are given', async () => {
  const [a, b] = (await sessionIds(2)) as [string, string];
  const rows = [end(a), intent(b), end(a), end(a), end(b)];
  expect([...(await recordSteps(db, rows)).entries()].toSorted()).toEqual(
    rows.map(({ id }, i) => [id, [1, 1, 2, 3, 2][i]]).toSorted(),
  );
});

test('a new step of a session that is gone is left out, and the others are written', async () => {
  const [a, b] = (await sessionIds(2)) as [string, string];
  const rows = [end(a), end('ses_gone'), end(b)];
  expect(await recordSteps(db, rows)).toEqual(new Map([rows[0], rows[2]].map((row) => [row?.id, 1])));
});

test('new steps are written all or not at all: one that has a row fails the batch, and changes no count', async () => {
  const [a, b] = (await sessionIds(2)) as [string, string];
  const known = intent(a);
  await recordSteps(db, [known]);
  const late = end(b);
  await expect(recordSteps(db, [end(a, { id: known.id }), late])).rejects.toMatchObject({ code: '23505' });
  expect(await rowOf(late)).toBeNull();
  const [next, first] = [end(a), end(b)];
  expect(await recordSteps(db, [next, first])).toEqual(
    new Map([
      [next.id, 2],
      [first.id, 1],
    ]),
  );
});

test.each([12, 24])(
  'two replicas that write %d steps of the same sessions in different orders do not deadlock',
  async (amount) => {
    const ids = await sessionIds(amount);
    const writeMany = async (from: Database, order: string[]) => {
      for (let batch = 0; batch < 60; batch++)
        await recordSteps(
          from,
          order.map((id) => end(id)),
        );
    };
    await Promise.all([writeMany(db, ids), writeMany(otherDb, ids.toReversed())]);
    const counts = await db.sql<{ count: number }[]>`
    select step_count as count from sessions where id = any(${ids}::text[])`;
    expect(counts.map(({ count }) => count)).toEqual(ids.map(() => 120));
  },
);
