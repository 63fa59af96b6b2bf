/** The same chunks; throws the signal's reason once it aborts, also while the source gives nothing. */
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
    // Not awaited: a generator that gives nothing does not return before it does.
    if (!isDone) void Promise.resolve(iterator.return?.()).catch(() => {});
  }
}

/** A listener per chunk: a promise that outlived them would keep every chunk that it was raced against. */
function beforeAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
