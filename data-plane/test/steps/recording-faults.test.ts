import { newId } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { noCharges } from '../../src/registry/budgets/find-charges.ts';
import { isRowImpossible } from '../../src/registry/database-error.ts';
import { findSession } from '../../src/registry/sessions/find-session.ts';
import { findStep } from '../../src/registry/steps/find-step.ts';
import { recordSteps, type StepRecord } from '../../src/registry/steps/record-steps.ts';
import { intentRecord } from '../../src/steps/intent-and-end.ts';
import { recordEnd } from '../../src/steps/recording/record-end.ts';
import { createStepRecorder } from '../../src/steps/recording/step-recorder.ts';
import { eventually } from '../support/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { activeSession } from '../support/registry-rows.ts';
import { injectStepFaults, type StepFaults } from '../support/step-faults.ts';

let database: TestDatabase;
let faults: StepFaults;
beforeAll(async () => {
  database = await createTestDatabase();
  faults = await injectStepFaults(database.owner);
});
afterAll(() => database.drop());

/** A recorder as a replica has it, and a step of a session of its own. */
async function recording() {
  const { db } = database;
  const { id: sessionId } = await activeSession(db);
  const write = (rows: StepRecord[]) => recordSteps(db, rows);
  const recorder = createStepRecorder({ write, isRowImpossible, onBatch: () => {}, onFailure: () => {} });
  const step = (code: string): StepRecord => {
    const start = { id: newId('stp'), sessionId, contextId: 'python', language: 'python', code, job: null } as const;
    const sent = {
      actor: 'agent',
      actorName: null,
      keyId: null,
      epoch: 1,
      timeoutMs: 1000,
      queuedAt: new Date(),
    } as const;
    return intentRecord({ ...start, ...sent }, { replicaId: 'rep', mayHaveRow: false });
  };
  const registry = {
    findStep: (key: { sessionId: string; stepId: string }) => findStep(db, key),
    findSession: (key: { id: string }) => findSession(db, key),
    findCharges: async () => noCharges,
  };
  const end = (row: StepRecord) => recordEnd({ recorder, ...registry }, ended(row));
  const found = ({ id: stepId }: StepRecord) => findStep(db, { sessionId, stepId });
  return { recorder, step, end, found, sessionId };
}

const ended = (row: StepRecord): StepRecord => ({
  ...row,
  status: 'succeeded',
  outcome: { tag: 'ok' },
  finishedAt: new Date(),
  events: Buffer.from('true'),
});

/** One or more of each class that Postgres has, and one that it has not. */
const passing = [
  ['08006', 'the connection failed'],
  ['0A000', 'a cached plan does not fit any more'],
  ['25006', 'a standby is read-only'],
  ['28000', 'the login was refused'],
  ['3F000', 'a schema is missing for a moment'],
  ['40001', 'the transaction could not be serialized'],
  ['40P01', 'a deadlock'],
  ['42501', 'a right was taken'],
  ['42P01', 'a table is missing for a moment'],
  ['53100', 'the disk is full'],
  ['54001', 'the stack is too deep'],
  ['55P03', 'a lock could not be had'],
  ['57014', 'the statement was cancelled'],
  ['57P01', 'the server is being stopped'],
  ['58030', 'an input or output error'],
  ['F0000', 'a fault in the configuration file'],
  ['P0001', 'an exception was raised'],
  ['XX000', 'an internal error'],
  ['XX001', 'a page is damaged'],
  ['ZZ999', 'unknown'],
] as const;

test.each(passing)(
  'SQLSTATE %s at the intent: no row is claimed, and it is written when that is over (%s)',
  async (state) => {
    const { recorder, step, end, found } = await recording();
    const row = step(`at the intent ${state}`);
    const hits = await faults.begin({ state, moment: 'intent', code: row.code });
    let known: unknown = 'nothing';
    const intent = recorder.intent(row).then((number) => {
      known = number;
    });
    await eventually(async () => expect(await hits()).toBeGreaterThan(2));
    expect([known, recorder.healthy, await found(row)]).toEqual(['nothing', false, null]);
    await faults.end();
    await intent;
    expect([known, recorder.healthy]).toEqual([1, true]);
    expect(await end(row)).toMatchObject({ by: 'us', number: 1 });
  },
);

test.each(passing)('SQLSTATE %s at the end: the true result is recorded when that is over (%s)', async (state) => {
  const { recorder, step, end, found } = await recording();
  const row = step(`at the end ${state}`);
  expect(await recorder.intent(row)).toBe(1);
  const hits = await faults.begin({ state, moment: 'end', code: row.code });
  const recorded = end(row);
  await eventually(async () => expect(await hits()).toBeGreaterThan(2));
  expect(recorder.healthy).toBe(false);
  expect(await found(row)).toMatchObject({ finishedAt: null });
  await faults.end();
  expect(await recorded).toMatchObject({ by: 'us', number: 1, record: { status: 'succeeded' } });
  expect(await found(row)).toMatchObject({ status: 'succeeded', events: Buffer.from('true') });
});

test.each(['22003', '22021', '22P05', '23505', '23514', '54000'])(
  'SQLSTATE %s refuses one row of a batch: that step alone is recorded as lost, the others with their results',
  async (state) => {
    const { recorder, step, end, found } = await recording();
    const rows = ['a', `impossible ${state}`, 'b'].map(step);
    for (const row of rows) await recorder.intent(row);
    const hits = await faults.begin({ state, moment: 'success', code: `impossible ${state}` });
    const blocker = end(step('blocker'));
    const ends = rows.map(end);
    await blocker;
    expect(await Promise.all(ends)).toMatchObject([
      { by: 'us', record: { status: 'succeeded' } },
      { by: 'us', record: { status: 'lost', cause: { code: 'result_refused' } } },
      { by: 'us', record: { status: 'succeeded' } },
    ]);
    // Once in the batch and once alone.
    expect(await hits()).toBe(2);
    expect((await Promise.all(rows.map(found))).map((row) => row?.status)).toEqual(['succeeded', 'lost', 'succeeded']);
    expect(recorder.healthy).toBe(true);
    await faults.end();
  },
);

test('a value that the driver cannot encode is refused and not tried again', async () => {
  const { recorder, step, found } = await recording();
  const bad = { ...ended(step('bad')), startedAt: new Date(Number.NaN) };
  expect(await recorder.end(bad)).toBe('refused');
  expect(await found(bad)).toBeNull();
  expect(await recorder.end(ended(step('good')))).toBe(1);
});

test('the end of a step of a deleted session is lost only after the session is seen to be gone', async () => {
  const { step, end, sessionId } = await recording();
  await database.db.sql`delete from sessions where id = ${sessionId}`;
  const cause = { code: 'session_ended' };
  expect(await end(step('1'))).toMatchObject({ by: 'nobody', number: null, record: { status: 'lost', cause } });
});
