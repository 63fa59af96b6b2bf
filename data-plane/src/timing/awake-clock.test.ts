import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startAwakeClock } from './awake-clock.ts';

let nowMs: number;
let stop: AbortController;

beforeEach(() => {
  nowMs = 10_000;
  stop = new AbortController();
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
});
afterEach(() => {
  stop.abort();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

function pass(ms: number): void {
  for (let passed = 0; passed < ms; passed += 100) {
    nowMs += 100;
    vi.advanceTimersByTime(100);
  }
}

test('a process is awake since its start while its ticks come in time', () => {
  const clock = startAwakeClock(stop.signal);
  pass(5000);
  expect(clock.awakeSinceMs()).toBe(10_000);
});

test('a process that was stopped is awake since it woke up, also before its late tick has run', () => {
  const clock = startAwakeClock(stop.signal);
  pass(5000);
  nowMs += 3000;
  expect(clock.awakeSinceMs()).toBe(18_000);
  pass(5000);
  expect(clock.awakeSinceMs()).toBeLessThanOrEqual(18_500);
  expect(clock.awakeSinceMs()).toBeGreaterThanOrEqual(18_000);
});

test('does not take a busy event loop for a stop', () => {
  const clock = startAwakeClock(stop.signal);
  pass(5000);
  nowMs += 900;
  pass(500);
  expect(clock.awakeSinceMs()).toBe(10_000);
});
