import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { awakeTimeout } from './awake-timeout.ts';

let nowMs: number;
const act = vi.fn();

beforeEach(() => {
  nowMs = 0;
  act.mockClear();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

function pass(ms: number): void {
  nowMs += ms;
  vi.advanceTimersByTime(ms);
}

/** The process is stopped, so that its timers run later than they should. */
function sleepThrough(ms: number, sleptMs: number): void {
  nowMs += sleptMs;
  pass(ms);
}

test('acts when the time is over', () => {
  awakeTimeout(act, 3000);
  pass(2999);
  expect(act).not.toHaveBeenCalled();
  pass(1);
  expect(act).toHaveBeenCalledOnce();
});

test('a timer that was slept through waits again, as often as that happens', () => {
  awakeTimeout(act, 3000);
  sleepThrough(3000, 60_000);
  sleepThrough(3000, 60_000);
  expect(act).not.toHaveBeenCalled();
  pass(3000);
  expect(act).toHaveBeenCalledOnce();
});

test('the second wait is no longer than it takes to read what came meanwhile', () => {
  awakeTimeout(act, 3_600_000);
  sleepThrough(3_600_000, 60_000);
  pass(5000);
  expect(act).toHaveBeenCalledOnce();
});

test('does not act once it is cleared, even if it was slept through before', () => {
  const clear = awakeTimeout(act, 3000);
  sleepThrough(3000, 60_000);
  clear();
  pass(10_000);
  expect(act).not.toHaveBeenCalled();
});
