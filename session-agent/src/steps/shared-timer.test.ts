import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { SharedTimer } from './shared-timer.ts';

let timer: SharedTimer;
let seen: string[];
const note = (name: string) => () => void seen.push(`${name} ${performance.now() - startedAtMs}`);
let startedAtMs: number;

beforeEach(() => {
  vi.useFakeTimers();
  timer = new SharedTimer();
  seen = [];
  startedAtMs = performance.now();
});
afterEach(() => {
  // Before the timers: a spy that is restored after them would bring the fake ones back.
  vi.restoreAllMocks();
  vi.useRealTimers();
});

test('calls each after its own time, whichever was set first', async () => {
  timer.set(note('late'), 200);
  timer.set(note('early'), 50);
  timer.set(note('between'), 100);
  await vi.advanceTimersByTimeAsync(1000);
  expect(seen).toEqual(['early 50', 'between 100', 'late 200']);
});

test('calls none that was cleared, and the others in time', async () => {
  const cleared = note('cleared');
  timer.set(cleared, 50);
  timer.set(note('kept'), 100);
  timer.clear(cleared);
  await vi.advanceTimersByTimeAsync(1000);
  expect(seen).toEqual(['kept 100']);
});

test.each([10, 150])('calls one that is set again at the new time alone, %i ms later', async (ms) => {
  const moved = note('moved');
  timer.set(moved, 100);
  await vi.advanceTimersByTimeAsync(60);
  timer.set(moved, ms);
  await vi.advanceTimersByTimeAsync(1000);
  expect(seen).toEqual([`moved ${60 + ms}`]);
});

test('goes on after a time in which nothing waited, and if a call sets the next one', async () => {
  const last = note('last');
  timer.set(() => timer.set(last, 30), 100);
  await vi.advanceTimersByTimeAsync(1000);
  timer.set(note('much later'), 20);
  await vi.advanceTimersByTimeAsync(1000);
  expect(seen).toEqual(['last 130', 'much later 1020']);
});

test('waits for nothing if an act took so long that the next one is past its time', async () => {
  vi.useRealTimers();
  const waits = vi.spyOn(globalThis, 'setTimeout');
  const end = Promise.withResolvers<void>();
  timer.set(() => {
    const beganAtMs = performance.now();
    while (performance.now() - beganAtMs < 60);
  }, 10);
  timer.set(end.resolve, 50);
  await end.promise;
  expect(Math.min(...waits.mock.calls.map(([, ms]) => ms ?? 0))).toBe(0);
});

test('keeps a time that is longer than Node’s timers know', async () => {
  const days = 86_400_000;
  timer.set(note('after 30 days'), 30 * days);
  await vi.advanceTimersByTimeAsync(30 * days - 1);
  expect(seen).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(seen).toHaveLength(1);
});

test('asks Node for one timer for many times that are cleared early', () => {
  const asked = vi.spyOn(globalThis, 'setTimeout');
  for (let step = 0; step < 100; step++) {
    const act = note('never');
    timer.set(act, 100);
    timer.clear(act);
  }
  expect(asked).toHaveBeenCalledTimes(1);
});
