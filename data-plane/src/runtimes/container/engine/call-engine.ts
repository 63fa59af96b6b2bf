import { EngineError, engineError } from './engine-error.ts';

/**
 * Makes a call with a deadline. The deadline only covers the response's start: reading a stream from it afterwards may take any time.
 * @throws EngineError, or `signal`'s reason
 */
export async function callEngine<T>(
  ms: number,
  call: (options: { abortSignal: AbortSignal }) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  signal?.throwIfAborted();
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), ms);
  const abort = () => deadline.abort();
  signal?.addEventListener('abort', abort, { once: true });
  try {
    return await call({ abortSignal: deadline.signal });
  } catch (cause) {
    signal?.throwIfAborted();
    const silent = `the container engine gave no answer for ${ms / 1000} s`;
    throw deadline.signal.aborted ? new EngineError('unavailable', silent) : engineError(cause);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

/** Returns null if the container, network or image does not exist. */
export async function nullIfMissing<T>(found: Promise<T>): Promise<T | null> {
  return await found.catch((error) => {
    if (error instanceof EngineError && (error.kind === 'not-found' || error.kind === 'no-image')) return null;
    throw error;
  });
}
