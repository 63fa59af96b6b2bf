/** The same chunks; throws the signal's reason as soon as it aborts, even while it waits for the source. */
export async function* untilAborted(
  source: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (!signal) return yield* source;
  const iterator = source[Symbol.asyncIterator]();
  let isDone = false;
  try {
    for (;;) {
      const { done, value } = await beforeAbort(iterator.next(), signal);
      isDone = done === true;
      if (done) return;
      yield value;
    }
  } finally {
    // Not awaited: a generator that waits for its own source returns only after that.
    if (!isDone) void Promise.resolve(iterator.return?.()).catch(() => {});
  }
}

/** Uses one listener per chunk: a promise for the whole stream would hold every chunk that it was raced against. */
function beforeAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
