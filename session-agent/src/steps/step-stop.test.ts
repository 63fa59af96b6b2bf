import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { SharedTimer } from './shared-timer.ts';
import { StepStop } from './step-stop.ts';

beforeEach(() => {
  vi.useFakeTimers();
  timer = new SharedTimer();
});
afterEach(() => {
  vi.useRealTimers();
});

let timer: SharedTimer;

function running(timeoutMs: number) {
  const seen: string[] = [];
  const step = { interrupt: () => void seen.push('interrupt'), kill: async () => void seen.push('kill') };
  return { seen, stop: new StepStop(step, { timeoutMs, graceMs: 50, timer }) };
}

test('a step that has ended is neither interrupted nor killed at its time limit', async () => {
  const { seen, stop } = running(100);
  stop.clear();
  await vi.advanceTimersByTimeAsync(1000);
  expect(seen).toEqual([]);
});

test.each([100, 30, 200])('a step after another has its whole time limit of %i ms', async (timeoutMs) => {
  const before = running(100);
  await vi.advanceTimersByTimeAsync(90);
  before.stop.clear();
  const { seen, stop } = running(timeoutMs);
  await vi.advanceTimersByTimeAsync(timeoutMs - 1);
  expect(seen).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(seen).toEqual(['interrupt']);
  await vi.advanceTimersByTimeAsync(50);
  expect([seen, before.seen]).toEqual([['interrupt', 'kill'], []]);
  stop.clear();
});

test('a limit is kept again after it was reached once', async () => {
  for (let step = 0; step < 2; step++) {
    const { seen, stop } = running(100);
    await vi.advanceTimersByTimeAsync(100);
    expect(seen).toEqual(['interrupt']);
    stop.clear();
  }
});
