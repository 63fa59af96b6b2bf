import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLease } from './create-lease.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

function lease(options: { leaseMs: number; unboundMs: number }) {
  const state = { bound: false, ended: false };
  const { renew, cancel } = createLease(
    {
      isBound: () => state.bound,
      onExpired: () => {
        state.ended = true;
      },
    },
    options,
  );
  return { state, renew, cancel };
}

test.for([
  ['longer', { leaseMs: 1000, unboundMs: 5000 }],
  ['shorter', { leaseMs: 5000, unboundMs: 1000 }],
] as const)('ends an unbound agent after its own limit, even if that is %s than the lease', ([, options]) => {
  const { state } = lease(options);
  vi.advanceTimersByTime(options.unboundMs - 1);
  expect(state.ended).toBe(false);
  vi.advanceTimersByTime(1);
  expect(state.ended).toBe(true);
});

test('applies the lease from the request that binds the agent', () => {
  const { state, renew } = lease({ leaseMs: 1000, unboundMs: 60_000 });
  vi.advanceTimersByTime(30_000);
  state.bound = true;
  renew();
  vi.advanceTimersByTime(900);
  renew();
  vi.advanceTimersByTime(999);
  expect(state.ended).toBe(false);
  vi.advanceTimersByTime(1);
  expect(state.ended).toBe(true);
});

test('restarts the limit on a request that does not bind the agent', () => {
  const { state, renew } = lease({ leaseMs: 1000, unboundMs: 5000 });
  vi.advanceTimersByTime(4000);
  renew();
  vi.advanceTimersByTime(4999);
  expect(state.ended).toBe(false);
  vi.advanceTimersByTime(1);
  expect(state.ended).toBe(true);
});

test('ends nothing after it was cancelled', () => {
  const { state, renew, cancel } = lease({ leaseMs: 1000, unboundMs: 1000 });
  state.bound = true;
  renew();
  cancel();
  vi.advanceTimersByTime(10_000);
  expect(state.ended).toBe(false);
  expect(vi.getTimerCount()).toBe(0);
});
