import { afterEach, expect, test, vi } from 'vitest';
import { createPatience } from './patience.ts';

afterEach(() => void vi.useRealTimers());

test('waits an hour at most if the server asks for more, and not for a moment', async () => {
  vi.useFakeTimers();
  let isOver = false;
  void createPatience(() => Number.POSITIVE_INFINITY)
    .again(1e9)
    .then(() => {
      isOver = true;
    });
  await vi.advanceTimersByTimeAsync(3_599_000);
  expect(isOver).toBe(false);
  await vi.advanceTimersByTimeAsync(2000);
  expect(isOver).toBe(true);
});
