import type { EdgeContext } from './edge.ts';

/** Aborts when the client leaves, or has its answer. */
export function leaving(c: EdgeContext): AbortSignal {
  const gone = new AbortController();
  const outgoing = c.env?.outgoing;
  if (outgoing?.destroyed) gone.abort();
  outgoing?.once('close', () => gone.abort());
  return gone.signal;
}
