import { setTimeout as delay } from 'node:timers/promises';
import { ApiError, type ApiErrorKind } from './api-error.ts';

export type RetryDependencies = { api: { isDown(): boolean } };

/** How long a call is repeated in total. */
const patienceMs: Partial<Record<ApiErrorKind, number>> = {
  unavailable: 3000,
  conflict: 3000,
  // The server itself says when to call again.
  throttled: 30_000,
};
const firstPauseMs = 100;
const pauseMaxMs = 1000;

/**
 * Repeats a repeatable call while its failure may be temporary: for some seconds, longer if the server asks us to wait, and not at all if
 * the server was down before the call.
 * @throws ApiError of the last attempt, or `signal`'s reason between two attempts
 */
export async function retryCall<T>(
  { api }: RetryDependencies,
  { call, signal }: { call: () => Promise<T>; signal?: AbortSignal },
): Promise<T> {
  const wasDown = api.isDown();
  const startedAt = Date.now();
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, pauseMaxMs)) {
    try {
      return await call();
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof ApiError) || (wasDown && !error.answered)) throw error;
      const waitMs = Math.max((error.retryAfterSeconds ?? 0) * 1000, pauseMs) * (1 + Math.random() / 4);
      if (Date.now() - startedAt + waitMs > (patienceMs[error.kind] ?? 0)) throw error;
      await pause(waitMs, signal);
    }
  }
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => signal?.throwIfAborted());
}
