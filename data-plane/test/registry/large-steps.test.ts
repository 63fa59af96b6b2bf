import { randomBytes } from 'node:crypto';
import { newId } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findStep } from '../../src/registry/steps/find-step.ts';
import { recordLargeSteps } from '../../src/registry/steps/record-large-steps.ts';
import { recordSteps, type StepRecord } from '../../src/registry/steps/record-steps.ts';
import { intentRecord } from '../../src/steps/intent-and-end.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { activeSession } from '../support/registry-rows.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const events = randomBytes(3 * 1024 * 1024 + 17);

async function unfinishedStep(): Promise<StepRecord> {
  const { id: sessionId } = await activeSession(database.db);
  const start = {
    ...({ id: newId('stp'), sessionId, contextId: 'python', language: 'python', code: '1', job: null } as const),
    ...({ actor: 'agent', epoch: 1, timeoutMs: 1000, queuedAt: new Date() } as const),
  };
  return intentRecord(start, { replicaId: newId('rep'), mayHaveRow: true });
}

const endOf = (row: StepRecord): StepRecord => ({ ...row, status: 'succeeded', finishedAt: new Date(), events });
const stored = ({ sessionId, id: stepId }: StepRecord) => findStep(database.db, { sessionId, stepId });
const pieces = async () => (await database.db.sql`select count(*)::int as n from step_event_pieces`)[0]?.n;

test.each([true, false])(
  'a large end has exactly its events, and leaves no pieces (with a row before: %s)',
  async (before) => {
    const row = await unfinishedStep();
    if (before) await recordSteps(database.db, [row]);
    const numbers = await recordLargeSteps(database.db, [{ ...endOf(row), mayHaveRow: before }]);
    expect(numbers).toEqual(new Map([[row.id, 1]]));
    expect(await stored(row)).toMatchObject({ status: 'succeeded', replicaId: null });
    const [found] = await database.db.sql<{ events: Buffer }[]>`select events from steps where id = ${row.id}`;
    expect(found?.events.equals(events)).toBe(true);
    expect(await pieces()).toBe(0);
  },
);

test('a large end whose events are frames in memory has the same bytes', async () => {
  const row = await unfinishedStep();
  const cuts = [0, 1, 1, 700_000, 1024 * 1024, 3 * 1024 * 1024 - 5, events.length];
  const longEvents = cuts.map((end, index) => events.subarray(cuts[index - 1] ?? 0, end));
  await recordLargeSteps(database.db, [{ ...endOf(row), mayHaveRow: false, events: Buffer.alloc(0), longEvents }]);
  const [found] = await database.db.sql<{ events: Buffer }[]>`select events from steps where id = ${row.id}`;
  expect(found?.events.equals(events)).toBe(true);
  const [session] = await database.db.sql`select history_bytes from sessions where id = ${row.sessionId}`;
  expect(Number(session?.history_bytes)).toBe(events.length + row.code.length);
});

test('a large end changes nothing if another one was first', async () => {
  const row = await unfinishedStep();
  const first = { ...endOf(row), status: 'interrupted' as const, events: Buffer.from('first') };
  await recordSteps(database.db, [first]);
  expect(await recordLargeSteps(database.db, [endOf(row)])).toEqual(new Map());
  expect(await stored(row)).toMatchObject({ status: 'interrupted', events: Buffer.from('first') });
  expect(await pieces()).toBe(0);
});

test('a large end that is refused leaves the row as it was and no pieces, and may be repeated', async () => {
  const row = await unfinishedStep();
  await recordSteps(database.db, [row]);
  const refused = { ...endOf(row), cause: { code: 'kernel_exited', message: '\0' } } as StepRecord;
  await expect(recordLargeSteps(database.db, [refused])).rejects.toThrow();
  expect(await stored(row)).toMatchObject({ status: 'running', events: null });
  expect(await pieces()).toBe(0);
  expect((await recordLargeSteps(database.db, [endOf(row)])).get(row.id)).toBe(1);
});
