import { expect, test } from 'vitest';
import { ApiError, type ApiErrorKind } from './api-error.ts';
import { retryCall } from './retry-call.ts';

const up = { api: { isDown: () => false } };
const down = { api: { isDown: () => true } };
const failure = (kind: ApiErrorKind, options = {}) => new ApiError(kind, 'no', options);

/** Fails once with each of the errors, then succeeds. */
function failing(...errors: Error[]) {
  const call = async () => {
    call.tries += 1;
    const error = errors.shift();
    if (error) throw error;
    return 'done';
  };
  call.tries = 0;
  return call;
}

test.each(['unavailable', 'conflict', 'throttled'] as const)('repeats a call that is %s', async (kind) => {
  const call = failing(failure(kind), failure(kind));
  await expect(retryCall(up, { call })).resolves.toBe('done');
  expect(call.tries).toBe(3);
});

test.each(['refused', 'over-quota', 'not-found', 'already-exists', 'expired'] as const)(
  'does not repeat a call that is %s',
  async (kind) => {
    const call = failing(failure(kind));
    await expect(retryCall(up, { call })).rejects.toMatchObject({ kind });
    expect(call.tries).toBe(1);
  },
);

test('calls again only after the time that the server asks for', async () => {
  const call = failing(failure('throttled', { retryAfterSeconds: 0.3 }));
  const startedAt = performance.now();
  await retryCall(up, { call });
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(299);
});

test('fails at once if the server asks for too long a wait', async () => {
  const call = failing(failure('throttled', { retryAfterSeconds: 300 }));
  await expect(retryCall(up, { call })).rejects.toMatchObject({ retryAfterSeconds: 300 });
});

test('makes one attempt if the server was down before, and more if it answers', async () => {
  const silent = failing(failure('unavailable', { answered: false }));
  await expect(retryCall(down, { call: silent })).rejects.toMatchObject({ kind: 'unavailable' });
  expect(silent.tries).toBe(1);
  await expect(retryCall(down, { call: failing(failure('unavailable')) })).resolves.toBe('done');
});

test('an abort ends the pause between two attempts', async () => {
  const aborted = new AbortController();
  const reason = new Error('the client has gone');
  const call = failing(failure('throttled', { retryAfterSeconds: 20 }));
  const waiting = retryCall(up, { call, signal: aborted.signal });
  setImmediate(() => aborted.abort(reason));
  await expect(waiting).rejects.toBe(reason);
  expect(call.tries).toBe(1);
});
