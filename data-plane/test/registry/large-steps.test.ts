import { randomBytes } from 'node:crypto';
import { newId } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findStep } from '../../src/registry/steps/find-step.ts';
import { readEventBytes } from '../../src/registry/steps/read-event-bytes.ts';
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

/** Like a frame, they do not begin with zero. */
const events = Buffer.concat([Buffer.from([3]), randomBytes(3 * 1024 * 1024 + 16)]);
/** Too large for one statement. */
const largest = Buffer.concat([Buffer.from([3]), randomBytes(9 * 1024 * 1024 + 16)]);

async function unfinishedStep(): Promise<StepRecord> {
  const { id: sessionId } = await activeSession(database.db);
  const start = {
    ...({ id: newId('stp'), sessionId, contextId: 'python', language: 'python', code: '1', job: null } as const),
    ...({ actor: 'agent', actorName: null, keyId: null, epoch: 1, timeoutMs: 1000, queuedAt: new Date() } as const),
  };
  return intentRecord(start, { replicaId: newId('rep'), mayHaveRow: true });
}

const endOf = (row: StepRecord): StepRecord => ({ ...row, status: 'succeeded', finishedAt: new Date(), events });
const stored = ({ sessionId, id: stepId }: StepRecord) => findStep(database.db, { sessionId, stepId });
const pieces = async () => (await database.db.sql`select count(*)::int as n from step_event_pieces`)[0]?.n;

test.each([
  [events, true],
  [events, false],
  [largest, true],
  [largest, false],
])('a large end has exactly its events, and leaves no pieces, case %#', async (given, before) => {
  const row = await unfinishedStep();
  if (before) await recordSteps(database.db, [row]);
  const numbers = await recordLargeSteps(database.db, [{ ...endOf(row), events: given, mayHaveRow: before }]);
  expect(numbers).toEqual(new Map([[row.id, 1]]));
  expect(await stored(row)).toMatchObject({ status: 'succeeded', replicaId: null });
  const [found] = await database.db.sql<{ events: Buffer }[]>`select events from steps where id = ${row.id}`;
  expect(found?.events.equals(given)).toBe(true);
  expect(await pieces()).toBe(0);
});

test.each([
  [events, true],
  [events, false],
  [largest, true],
  [largest, false],
])('a large end whose events are frames in memory has the same bytes, case %#', async (given, mayHaveRow) => {
  const row = await unfinishedStep();
  const cuts = [0, 1, 1, 700_000, 1024 * 1024, 3 * 1024 * 1024 - 5, given.length];
  const longEvents = cuts.map((end, index) => given.subarray(cuts[index - 1] ?? 0, end));
  await recordLargeSteps(database.db, [{ ...endOf(row), mayHaveRow, events: Buffer.alloc(0), longEvents }]);
  const [found] = await database.db.sql<{ events: Buffer }[]>`select events from steps where id = ${row.id}`;
  expect(found?.events.equals(given)).toBe(true);
  const [session] = await database.db.sql`select history_bytes from sessions where id = ${row.sessionId}`;
  expect(Number(session?.history_bytes)).toBe(given.length + row.code.length);
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

const compressible = Buffer.alloc(20 * 1024 * 1024 + 5, 'a line of output\n');
const read = (stepId: string, from: number, length: number) =>
  readEventBytes(database.db, { stepId, from, length, signal: new AbortController().signal });

test('a large end takes less room if its output can be compressed, and counts the room that it takes', async () => {
  const row = await unfinishedStep();
  await recordSteps(database.db, [row]);
  await recordLargeSteps(database.db, [{ ...endOf(row), events: compressible }]);
  const [found] = await database.db.sql`
    select octet_length(events) as bytes, history_bytes::int as counted
    from steps join sessions on sessions.id = session_id where steps.id = ${row.id}`;
  expect(found?.bytes).toBeLessThan(compressible.length / 10);
  expect(found?.counted).toBe(found?.bytes + row.code.length);
  expect(await stored(row)).toMatchObject({ events: null, eventBytes: compressible.length });
  for (const from of [0, 1, 262_144, 300_000, compressible.length - 262_144]) {
    const part = await read(row.id, from, 262_144);
    expect(part?.equals(compressible.subarray(from, from + 262_144))).toBe(true);
  }
});

test('events that an earlier version stored as they are can be read', async () => {
  const row = await unfinishedStep();
  await recordSteps(database.db, [row]);
  // A frame begins with its type.
  const plain = Buffer.concat([Buffer.from([3]), compressible.subarray(0, 3_000_000)]);
  await database.db.sql`update steps set events = ${plain}, status = 'succeeded' where id = ${row.id}`;
  expect(await stored(row)).toMatchObject({ events: null, eventBytes: plain.length });
  expect((await read(row.id, 0, 262_144))?.equals(plain.subarray(0, 262_144))).toBe(true);
  expect((await read(row.id, 2_900_000, 100_001))?.equals(plain.subarray(2_900_000))).toBe(true);
  expect(await read('stp_none', 0, 10)).toBe(null);
});
