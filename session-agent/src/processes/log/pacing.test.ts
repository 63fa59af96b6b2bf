import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Pacing } from './pacing.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function paced() {
  const log = { position: 0 };
  const pacing = new Pacing(log, { bytesMax: () => 4 * 1024 * 1024 });
  const reader = { position: 0, block: null, offset: 0 };
  const caughtUp = vi.fn();
  return { log, pacing, reader, caughtUp, joined: pacing.join(reader) };
}

test('waits for a reader that is more than 256 KiB behind, until it has moved', () => {
  const { log, pacing, reader, caughtUp, joined } = paced();
  log.position = 256 * 1024;
  expect(pacing.waits(caughtUp)).toBe(false);
  log.position += 1;
  expect(pacing.waits(caughtUp)).toBe(true);
  reader.position = 10;
  joined.moved();
  expect(caughtUp).toHaveBeenCalledOnce();
  expect(pacing.waits(caughtUp)).toBe(false);
  expect(vi.getTimerCount()).toBe(0);
});

test('no longer waits for a reader that gets nothing for half a minute', () => {
  const { log, pacing, reader, caughtUp, joined } = paced();
  log.position = 1024 * 1024;
  expect(pacing.waits(caughtUp)).toBe(true);
  vi.advanceTimersByTime(29_000);
  reader.position = 10;
  joined.moved();
  vi.advanceTimersByTime(29_000);
  expect(pacing.waits(caughtUp)).toBe(true);
  vi.advanceTimersByTime(1000);
  expect(caughtUp).toHaveBeenCalledOnce();
  expect(pacing.waits(caughtUp)).toBe(false);
});

test('goes on when the reader has left', () => {
  const { log, pacing, caughtUp, joined } = paced();
  log.position = 1024 * 1024;
  expect(pacing.waits(caughtUp)).toBe(true);
  joined.leave();
  expect(caughtUp).toHaveBeenCalledOnce();
  expect(vi.getTimerCount()).toBe(0);
});
