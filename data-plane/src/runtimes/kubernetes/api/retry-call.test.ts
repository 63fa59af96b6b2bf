import { expect, test } from 'vitest';
import { ApiError, type ApiErrorKind } from './api-error.ts';
import { retryCall } from './retry-call.ts';

const up = { api: { isDown: () => false } };
const down = { api: { isDown: () => true } };
const failure = (kind: ApiErrorKind, options = {}) => new ApiError(kind, 'no', options);

/** Fails with each of the errors in turn, then succeeds. */
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

test.each(['unavailable', 'conflict', 'throttled'] as const)('a call that is %s is made again', async (kind) => {
  const call = failing(failure(kind), failure(kind));
  await expect(retryCall(up, { call })).resolves.toBe('done');
  expect(call.tries).toBe(3);
});

test.each(['refused', 'over-quota', 'not-found', 'already-exists', 'expired'] as const)(
  'a call that is %s is not made again',
  async (kind) => {
    const call = failing(failure(kind));
    await expect(retryCall(up, { call })).rejects.toMatchObject({ kind });
    expect(call.tries).toBe(1);
  },
);

test('the server is asked again only when it wants to be', async () => {
  const call = failing(failure('throttled', { retryAfterSeconds: 0.3 }));
  const startedAt = performance.now();
  await retryCall(up, { call });
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(299);
});

test('a wait that would be too long is the end, at once', async () => {
  const call = failing(failure('throttled', { retryAfterSeconds: 300 }));
  await expect(retryCall(up, { call })).rejects.toMatchObject({ retryAfterSeconds: 300 });
});

test('a server that was down before gets one try, unless it answers', async () => {
  const silent = failing(failure('unavailable', { answered: false }));
  await expect(retryCall(down, { call: silent })).rejects.toMatchObject({ kind: 'unavailable' });
  expect(silent.tries).toBe(1);
  await expect(retryCall(down, { call: failing(failure('unavailable')) })).resolves.toBe('done');
});

test('an abort ends the pause between two tries', async () => {
  const aborted = new AbortController();
  const reason = new Error('the client has gone');
  const call = failing(failure('throttled', { retryAfterSeconds: 20 }));
  const waiting = retryCall(up, { call, signal: aborted.signal });
  setImmediate(() => aborted.abort(reason));
  await expect(waiting).rejects.toBe(reason);
  expect(call.tries).toBe(1);
});
