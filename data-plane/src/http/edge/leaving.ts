import type { EdgeContext } from './edge.ts';

/** Aborts when the client leaves, or has its answer. */
export function leaving(c: EdgeContext): AbortSignal {
  const gone = new AbortController();
  c.env?.outgoing?.once('close', () => gone.abort());
  return gone.signal;
}
