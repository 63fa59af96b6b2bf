import { type Frame, framesIn } from '@holdfast/specs/agent';
import { expect, test } from 'vitest';
import { type Cursor, StepLog } from './step-log.ts';

test('reads frames of any size whole and in order', () => {
  const log = new StepLog();
  const sizes = [0, 1, 400, 600, 70_000, 3, 200_000, 64 * 1024 - 16, 5];
  for (const size of sizes) log.append('stdout', Buffer.alloc(size, size % 251));
  const frames = readAll(log, log.cursorAfter(0));
  expect(frames.map(({ payload }) => payload.length)).toEqual(sizes);
  expect(frames.map(({ seq }) => seq)).toEqual(sizes.map((_, index) => index + 1));
  for (const { payload } of frames) expect(payload.every((byte) => byte === payload.length % 251)).toBe(true);
});

test.for([0, 1, 37, 299, 300])('continues after frame %i', (after) => {
  const log = new StepLog();
  for (let index = 0; index < 300; index++) log.append('stdout', Buffer.from(`line ${index}\n`));
  const cursor = log.cursorAfter(after);
  const unread = log.bytesFrom(cursor);
  const frames = readAll(log, cursor);
  expect(sum(frames)).toBe(unread);
  expect(frames.map(({ seq }) => seq)).toEqual(Array.from({ length: 300 - after }, (_, index) => after + 1 + index));
  log.append('stdout', Buffer.from('x'));
  expect(readAll(log, cursor).map(({ seq }) => seq)).toEqual([301]);
});

test('stores a flood of tiny frames in little more memory than their bytes', () => {
  const log = new StepLog();
  for (let index = 0; index < 10_000; index++) log.append('stdout', Buffer.from('x'));
  expect(log.bytes).toBeLessThan(10_000 * 17 * 1.5);
});

test('notifies followers of each frame until they leave', async () => {
  const log = new StepLog();
  let heard = 0;
  const leave = log.follow(() => {
    heard += 1;
  });
  const finished = log.untilFinished();
  log.append('started', { contextEpoch: 1, executionCount: 1 });
  expect(log.state).toBe('running');
  leave();
  log.finish({
    status: 'succeeded',
    contextEpoch: 1,
    executionCount: 1,
    durationMs: 1,
    stateSurvived: true,
    cause: null,
  });
  await finished;
  expect([heard, log.state]).toEqual([1, 'finished']);
});

function readAll(log: StepLog, cursor: Cursor): Frame[] {
  const frames: Frame[] = [];
  for (let bytes = log.read(cursor); bytes; bytes = log.read(cursor)) frames.push(...framesIn(bytes));
  return frames;
}

const sum = (frames: Frame[]) => frames.reduce((total, { bytes }) => total + bytes.length, 0);
