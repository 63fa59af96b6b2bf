/** A signal that the end of an iteration aborts, too, so that its connection is closed. */
export function endedWith(caller?: AbortSignal) {
  const own = new AbortController();
  const onAbort = () => own.abort(caller?.reason);
  if (caller?.aborted) onAbort();
  caller?.addEventListener('abort', onAbort, { once: true });
  return {
    signal: own.signal,
    end() {
      caller?.removeEventListener('abort', onAbort);
      own.abort();
    },
  };
}
