import { setTimeout as delay } from 'node:timers/promises';
import { newId } from '@holdfast/specs/public';
import { expect, test, vi } from 'vitest';
import type { StepRecord } from '../../registry/steps/record-steps.ts';
import type { StepStart } from '../live-step.ts';
import { intentRecord } from '../intent-and-end.ts';
import { createStepRecorder } from './step-recorder.ts';

type Write = (rows: StepRecord[]) => Promise<Map<string, number>>;

const sessionId = newId('ses');
const start = (): StepStart => ({
  id: newId('stp'),
  sessionId,
  contextId: 'python',
  language: 'python',
  code: '1',
  job: null,
  actor: 'agent',
  epoch: 1,
  timeoutMs: 1000,
  queuedAt: new Date(),
});
const intent = () => intentRecord(start(), { replicaId: newId('rep'), isKnown: false });
const ended = (row: StepRecord): StepRecord => ({ ...row, status: 'succeeded', finishedAt: new Date() });
const numbered: Write = async (rows) => new Map(rows.map((row, i) => [row.id, i + 1]));

function recording(write: Write = numbered) {
  const writes: StepRecord[][] = [];
  const failures: unknown[] = [];
  const recorder = createStepRecorder({
    write: async (rows) => {
      writes.push(rows);
      return await write(rows);
    },
    isPermanent: (error) => (error as Error).message === 'permanent',
    isUnavailable: (error) => (error as Error).message === 'away',
    onBatch: () => {},
    onFailure: (error) => failures.push(error),
  });
  return { recorder, writes, failures };
}

test('a step that ends at once is written once, and its intent is known with it', async () => {
  const { recorder, writes } = recording();
  const row = intent();
  const known = recorder.intent(row);
  expect(await recorder.end(ended(row))).toBe(1);
  expect(await known).toBe(1);
  expect(writes.map((rows) => rows.map(({ status, isKnown }) => ({ status, isKnown })))).toEqual([
    [{ status: 'succeeded', isKnown: false }],
  ]);
});

test('the intent of a step that goes on is written by itself, and its end is known to be an update', async () => {
  const { recorder, writes } = recording();
  const row = intent();
  expect(await recorder.intent(row)).toBe(1);
  await recorder.end(ended(row));
  expect(writes.map(([written]) => [written?.status, written?.isKnown])).toEqual([
    ['running', false],
    ['succeeded', true],
  ]);
});

test('what comes while a write is under way goes out together with the next', async () => {
  const first = Promise.withResolvers<void>();
  const { recorder, writes } = recording(async (rows) => {
    if (writes.length === 1) await first.promise;
    return await numbered(rows);
  });
  const ends = [1, 2, 3, 4].map(() => recorder.end(ended(intent())));
  first.resolve();
  await Promise.all(ends);
  expect(writes.map((rows) => rows.length)).toEqual([1, 3]);
});

test('an end takes along what came before it in its session, so that numbers follow arrival', async () => {
  const { recorder, writes } = recording();
  const [earlier, later] = [intent(), intent()];
  recorder.intent(earlier);
  await recorder.end(ended(later));
  expect(writes).toHaveLength(1);
  expect(writes[0]?.map((row) => row.id)).toEqual([earlier.id, later.id]);
});

test('while the database is away nothing is lost: it is written again until it is in, and nothing new should begin', async () => {
  let away = true;
  const { recorder, failures } = recording(async (rows) => {
    if (away) throw new Error('away');
    return await numbered(rows);
  });
  const end = recorder.end(ended(intent()));
  await vi.waitFor(() => expect(recorder.healthy).toBe(false));
  away = false;
  expect(await end).toBe(1);
  expect(recorder.healthy).toBe(true);
  expect(failures.length).toBeGreaterThan(1);
});

test('one row that the database will never take does not keep the others out', async () => {
  const bad = ended(intent());
  const { recorder } = recording(async (rows) => {
    if (rows.some((row) => row.id === bad.id)) throw new Error('permanent');
    return await numbered(rows);
  });
  const blocker = recorder.end(ended(intent()));
  const ends = [recorder.end(ended(intent())), recorder.end(bad), recorder.end(ended(intent()))];
  await blocker;
  expect(await Promise.all(ends)).toEqual([1, null, 1]);
});

test('an intent that is taken back in time is never written', async () => {
  const { recorder, writes } = recording();
  const row = intent();
  const known = recorder.intent(row);
  expect(recorder.withdraw(row.id)).toBe(true);
  expect(await known).toBeNull();
  await delay(10);
  expect(writes).toEqual([]);
  expect(recorder.withdraw(row.id)).toBe(false);
});

test('a large end waits for the intent before it, and nobody waits for a large end', async () => {
  const slow = Promise.withResolvers<void>();
  const { recorder, writes } = recording(async (rows) => {
    if (rows.some((row) => (row.events?.length ?? 0) > 0)) await slow.promise;
    return await numbered(rows);
  });
  const large = intent();
  const known = recorder.intent(large);
  await vi.waitFor(() => expect(writes).toHaveLength(1));
  const largeEnd = recorder.end({ ...ended(large), events: Buffer.alloc(1024 * 1024) });
  await vi.waitFor(() => expect(writes).toHaveLength(2));
  expect(await known).toBe(1);
  expect(await recorder.end(ended(intent()))).toBe(1);
  slow.resolve();
  expect(await largeEnd).toBe(1);
  expect(writes.map(([row]) => row?.isKnown)).toEqual([false, true, true]);
});

test('drained waits for all that was given', async () => {
  const { recorder, writes } = recording();
  recorder.intent(intent());
  await recorder.drained();
  expect(writes).toHaveLength(1);
});
