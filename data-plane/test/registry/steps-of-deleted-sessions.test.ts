import { newId } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../../src/registry/connect.ts';
import type { Queries } from '../../src/registry/queries.ts';
import { deleteSession } from '../../src/registry/sessions/delete-session.ts';
import { insertAdmittedStep } from '../../src/registry/steps/insert-admitted-step.ts';
import { recordSteps, type StepRecord } from '../../src/registry/steps/record-steps.ts';
import { intentRecord } from '../../src/steps/intent-and-end.ts';
import { eventually } from '../support/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { activeSession } from '../support/registry-rows.ts';

let database: TestDatabase;
let db: Database;
beforeAll(async () => {
  database = await createTestDatabase();
  db = database.db;
});
afterAll(() => database.drop());

function intent(sessionId: string): StepRecord {
  const start = { id: newId('stp'), sessionId, contextId: 'python', language: 'python', code: 'x', job: null } as const;
  const more = {
    actor: 'agent',
    actorName: null,
    keyId: null,
    epoch: 1,
    timeoutMs: 1000,
    queuedAt: new Date(),
  } as const;
  return intentRecord({ ...start, ...more }, { replicaId: 'rep', mayHaveRow: false });
}

/** Each writes a first step of the session, in a statement of its own kind, and returns how many were written. */
const writes: Record<string, (on: Queries, sessionId: string, other: string) => Promise<number>> = {
  alone: async (on, id) => (await recordSteps(on, [intent(id)])).size,
  'with that of another session': async (on, id, other) =>
    (await recordSteps(on, [intent(other), intent(id)])).size - 1,
  'with more of its session': async (on, id) => (await recordSteps(on, [intent(id), intent(id)])).size,
  'by its admission': async (on, id) => {
    const step = intent(id);
    return (await insertAdmittedStep(on, { step, fingerprint: Buffer.alloc(32), admissionId: 'adm' })) === null ? 0 : 1;
  },
};
const kinds = Object.keys(writes);
const write = (kind: string, ...given: [Queries, string, string]) =>
  (writes[kind] as (typeof writes)[string])(...given);

const stepsOf = async (sessionId: string) =>
  (await db.sql<{ count: number }[]>`select count(*)::int from steps where session_id = ${sessionId}`)[0]?.count;

const untilOneWaits = () =>
  eventually(async () => {
    const { count } = await db.sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    expect(count).toBeGreaterThan(0);
  });

test.each(kinds)('a step that is written %s while its session is being deleted gets no row', async (kind) => {
  const [{ id }, { id: other }] = [await activeSession(db), await activeSession(db)];
  let written: Promise<number> | undefined;
  await db.transaction(async (tx) => {
    await tx.sql`delete from sessions where id = ${id}`;
    written = write(kind, db, id, other);
    await untilOneWaits();
  });
  expect(await written).toBe(0);
  expect(await stepsOf(id)).toBe(0);
});

test.each(kinds)('a step that is written %s just before its session is deleted goes with it', async (kind) => {
  const [{ id }, { id: other }] = [await activeSession(db), await activeSession(db)];
  let deleted: PromiseLike<unknown> | undefined;
  await db.transaction(async (tx) => {
    expect(await write(kind, tx, id, other)).toBeGreaterThan(0);
    deleted = db.sql`delete from sessions where id = ${id}`.execute();
    await untilOneWaits();
  });
  await deleted;
  expect(await stepsOf(id)).toBe(0);
});

test('a step that the purge of a deleted session does not see goes with the session', async () => {
  const { id } = await activeSession(db);
  await db.sql`update sessions set status = 'completed', sandbox_gone_at = now() where id = ${id}`;
  let deleted: Promise<boolean> | undefined;
  await db.transaction(async (tx) => {
    // The purge waits for this lock, and does not see the step even then.
    await recordSteps(tx, [intent(id)]);
    deleted = deleteSession(db, { id });
    await untilOneWaits();
  });
  expect(await deleted).toBe(true);
  expect(await stepsOf(id)).toBe(0);
});
