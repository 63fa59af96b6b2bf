import { setTimeout as delay } from 'node:timers/promises';
import { newId } from '@holdfast/specs/public';
import { expect, test, vi } from 'vitest';
import type { StepRecord } from '../../registry/steps/record-steps.ts';
import { intentRecord } from '../intent-and-end.ts';
import type { StepStart } from '../live-step.ts';
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
  keyId: null,
  actorName: null,
  epoch: 1,
  timeoutMs: 1000,
  queuedAt: new Date(),
});
const intent = () => intentRecord(start(), { replicaId: newId('rep'), mayHaveRow: false });
const ended = (row: StepRecord): StepRecord => ({ ...row, status: 'succeeded', finishedAt: new Date() });
const numbered: Write = async (rows) => new Map(rows.map((row, i) => [row.id, i + 1]));

function recording(write: Write = numbered, options: { waitingBytesMax?: number } = {}) {
  const writes: StepRecord[][] = [];
  const failures: unknown[] = [];
  const recorder = createStepRecorder({
    write: async (rows) => {
      writes.push(rows);
      return await write(rows);
    },
    isRowImpossible: (error) => (error as Error).message === 'impossible',
    onBatch: () => {},
    onFailure: (error) => failures.push(error),
    ...options,
  });
  return { recorder, writes, failures };
}

test('writes a step that ends at once only once, and resolves its intent with that', async () => {
  const { recorder, writes } = recording();
  const row = intent();
  const known = recorder.intent(row);
  expect(await recorder.end(ended(row))).toBe(1);
  expect(await known).toBe(1);
  expect(writes.map((rows) => rows.map(({ status, mayHaveRow }) => ({ status, mayHaveRow })))).toEqual([
    [{ status: 'succeeded', mayHaveRow: false }],
  ]);
});

test('writes the intent of a longer step by itself, and its end as an update', async () => {
  const { recorder, writes } = recording();
  const row = intent();
  expect(await recorder.intent(row)).toBe(1);
  await recorder.end(ended(row));
  expect(writes.map(([written]) => [written?.status, written?.mayHaveRow])).toEqual([
    ['running', false],
    ['succeeded', true],
  ]);
});

test('writes the intent of a watched step soon, and any other only if the step goes on', async () => {
  vi.useFakeTimers();
  try {
    const { recorder, writes } = recording();
    const [unwatched, watched] = [{ ...intent(), sessionId: newId('ses') }, intent()];
    recorder.intent(unwatched);
    recorder.intent(watched);
    recorder.watched(watched.id);
    await vi.advanceTimersByTimeAsync(5);
    expect(writes.flat().map(({ id }) => id)).toEqual([watched.id]);
    await vi.advanceTimersByTimeAsync(25);
    expect(writes.flat().map(({ id }) => id)).toEqual([watched.id, unwatched.id]);
  } finally {
    vi.useRealTimers();
  }
});

test('writes all records that arrive during a write together with the next one', async () => {
  const first = Promise.withResolvers<void>();
  const { recorder, writes } = recording(async (rows) => {
    if (writes.length === 1) await first.promise;
    return await numbered(rows);
  });
  const ends = [recorder.end(ended(intent()))];
  await vi.waitFor(() => expect(writes).toHaveLength(1));
  ends.push(...[2, 3, 4].map(() => recorder.end(ended(intent()))));
  first.resolve();
  await Promise.all(ends);
  expect(writes.map((rows) => rows.length)).toEqual([1, 3]);
});

test('writes ends of one turn of the event loop together, also the first of them', async () => {
  const { recorder, writes } = recording();
  const ends = [recorder.end(ended(intent()))];
  await Promise.resolve();
  ends.push(recorder.end(ended(intent())));
  await Promise.all(ends);
  expect(writes.map((rows) => rows.length)).toEqual([2]);
});

test('writes ends that come in one turn with the answer to a write together', async () => {
  const first = Promise.withResolvers<void>();
  const { recorder, writes } = recording(async (rows) => {
    if (writes.length === 1) await first.promise;
    return await numbered(rows);
  });
  const ends = [recorder.end(ended(intent()))];
  await vi.waitFor(() => expect(writes).toHaveLength(1));
  ends.push(recorder.end(ended(intent())));
  first.resolve();
  // All that follows from the answer has been done by then, and the turn is still the same.
  await new Promise<void>((resolve) => process.nextTick(resolve));
  ends.push(recorder.end(ended(intent())));
  await Promise.all(ends);
  expect(writes.map((rows) => rows.length)).toEqual([1, 2]);
});

test('writes the earlier records of a session together with an end, so that numbers follow arrival', async () => {
  const { recorder, writes } = recording();
  const [earlier, later] = [intent(), intent()];
  recorder.intent(earlier);
  await recorder.end(ended(later));
  expect(writes).toHaveLength(1);
  expect(writes[0]?.map((row) => row.id)).toEqual([earlier.id, later.id]);
});

test('retries until a record is written while the database is unavailable, and is not healthy meanwhile', async () => {
  let away = true;
  const { recorder, failures } = recording(async (rows) => {
    if (away) throw new Error('away');
    return await numbered(rows);
  });
  const end = recorder.end(ended(intent()));
  await vi.waitFor(() => expect(failures.length).toBeGreaterThan(1));
  expect(recorder.healthy).toBe(false);
  away = false;
  expect(await end).toBe(1);
  expect(recorder.healthy).toBe(true);
});

test('writes the other rows of a batch that has one row which the database can never hold', async () => {
  const bad = ended(intent());
  const { recorder } = recording(async (rows) => {
    if (rows.some((row) => row.id === bad.id)) throw new Error('impossible');
    return await numbered(rows);
  });
  const blocker = recorder.end(ended(intent()));
  const ends = [recorder.end(ended(intent())), recorder.end(bad), recorder.end(ended(intent()))];
  await blocker;
  expect(await Promise.all(ends)).toEqual([1, 'refused', 1]);
  expect(recorder.healthy).toBe(true);
});

test('a row that fails again and again keeps no other row from being written, and is written in the end', async () => {
  const trouble = ended(intent());
  let fails = true;
  const { recorder } = recording(async (rows) => {
    if (fails && rows.some((row) => row.id === trouble.id)) throw new Error('unknown');
    return await numbered(rows);
  });
  const end = recorder.end(trouble);
  await vi.waitFor(() => expect(recorder.healthy).toBe(false));
  expect(await Promise.all([1, 2, 3].map(() => recorder.end(ended(intent()))))).toEqual([1, 1, 1]);
  expect(recorder.healthy).toBe(false);
  fails = false;
  expect(await end).toBe(1);
  expect(recorder.healthy).toBe(true);
});

test('numbers follow arrival after an outage, too', async () => {
  let away = true;
  const { recorder, failures } = recording(async (rows) => {
    if (away) throw new Error('away');
    return await numbered(rows);
  });
  const ends = [1, 2, 3].map(() => recorder.end(ended(intent())));
  await vi.waitFor(() => expect(failures.length).toBeGreaterThan(4));
  away = false;
  expect(await Promise.all(ends)).toEqual([1, 2, 3]);
});

test('an intent that may have been written is not withdrawn', async () => {
  let away = true;
  const { recorder } = recording(async (rows) => {
    if (away) throw new Error('away');
    return await numbered(rows);
  });
  const row = intent();
  const known = recorder.intent(row);
  await vi.waitFor(() => expect(recorder.healthy).toBe(false));
  expect(recorder.withdraw(row.id)).toBe(false);
  away = false;
  expect(await known).toBe(1);
});

test('writes the end of a step for itself if its intent was refused', async () => {
  const { recorder } = recording(async (rows) => {
    if (rows.some((row) => row.finishedAt === null)) throw new Error('impossible');
    return await numbered(rows);
  });
  const row = intent();
  expect(await recorder.intent(row)).toBeNull();
  expect(await recorder.end(ended(row))).toBe(1);
});

test('is not healthy while a write has had no answer for 2 s, and is healthy after the answer', async () => {
  vi.useFakeTimers();
  try {
    const answer = Promise.withResolvers<void>();
    const { recorder } = recording(async (rows) => {
      await answer.promise;
      return await numbered(rows);
    });
    const end = recorder.end(ended(intent()));
    await vi.advanceTimersByTimeAsync(2000);
    expect(recorder.healthy).toBe(true);
    await vi.advanceTimersByTimeAsync(1);
    expect(recorder.healthy).toBe(false);
    answer.resolve();
    expect(await end).toBe(1);
    expect(recorder.healthy).toBe(true);
  } finally {
    vi.useRealTimers();
  }
});

test('is not healthy while more bytes wait than it may hold, and loses none of them', async () => {
  const answer = Promise.withResolvers<void>();
  const { recorder, writes } = recording(
    async (rows) => {
      await answer.promise;
      return await numbered(rows);
    },
    { waitingBytesMax: 1000 },
  );
  const sized = (bytes: number) => recorder.end({ ...ended(intent()), events: Buffer.alloc(bytes) });
  const ends = [sized(500), sized(400)];
  expect(recorder.healthy).toBe(true);
  ends.push(sized(400), sized(1024 * 1024));
  expect(recorder.healthy).toBe(false);
  answer.resolve();
  expect((await Promise.all(ends)).every((number) => number !== null)).toBe(true);
  expect(writes.flat()).toHaveLength(4);
  expect(recorder.healthy).toBe(true);
});

test('a large end that fails again and again does not hold up other large ends', async () => {
  const trouble = { ...ended(intent()), events: Buffer.alloc(1024 * 1024) };
  let fails = true;
  const { recorder } = recording(async (rows) => {
    if (fails && rows.some((row) => row.id === trouble.id)) throw new Error('unknown');
    return await numbered(rows);
  });
  const end = recorder.end(trouble);
  await vi.waitFor(() => expect(recorder.healthy).toBe(false));
  expect(await recorder.end({ ...trouble, id: newId('stp') })).toBe(1);
  fails = false;
  expect(await end).toBe(1);
  await recorder.drained();
});

test('never writes an intent that is withdrawn in time', async () => {
  const { recorder, writes } = recording();
  const row = intent();
  const known = recorder.intent(row);
  expect(recorder.withdraw(row.id)).toBe(true);
  expect(await known).toBeNull();
  await delay(10);
  expect(writes).toEqual([]);
  expect(recorder.withdraw(row.id)).toBe(false);
});

test('writes a large end after its intent and beside the small ones, which do not wait for it', async () => {
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
  expect(writes.map(([row]) => row?.mayHaveRow)).toEqual([false, true, true]);
});

test('drained resolves after every record is written', async () => {
  const { recorder, writes } = recording();
  recorder.intent(intent());
  await recorder.drained();
  expect(writes).toHaveLength(1);
});
