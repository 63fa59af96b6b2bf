import type { Caller } from '../../sessions/caller.ts';
import type { Edge, EdgeContext } from './edge.ts';

/** A timer of Node takes no more, and fires at once with more. */
const timerMsMax = 2 ** 31 - 1;

/** Closes the connection if the key is revoked before the answer has ended. */
export function endWithKey({ addOpenRequest }: Pick<Edge, 'addOpenRequest'>, c: EdgeContext, keyId: string): void {
  const outgoing = c.env?.outgoing;
  if (outgoing)
    outgoing.once(
      'close',
      addOpenRequest(keyId, () => outgoing.destroy()),
    );
}

/** The same for the end of a share link or token: the client comes back with another one, and the code runs on. */
export function endWithToken(c: EdgeContext, { endsAtMs }: Pick<Caller, 'endsAtMs'>): void {
  const outgoing = c.env?.outgoing;
  if (outgoing && endsAtMs !== undefined)
    outgoing.once(
      'close',
      endAt(endsAtMs, () => outgoing.destroy()),
    );
}

/** Ends a connection at a time of `performance.now()`, if there is one, or after 24 days. Returns a function for its own end. */
export function endAt(endsAtMs: number | undefined, end: () => void): () => void {
  if (endsAtMs === undefined) return () => {};
  const timer = setTimeout(end, Math.min(timerMsMax, endsAtMs - performance.now()));
  return () => clearTimeout(timer);
}
