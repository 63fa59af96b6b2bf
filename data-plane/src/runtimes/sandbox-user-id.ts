import { createHash } from 'node:crypto';

/** A range of user ids, both ends included. */
export type UidRange = { first: number; last: number };

/**
 * The user and group id of the sandbox with this name. The process limit (RLIMIT_NPROC) counts per user id and node, so each sandbox
 * needs its own id. It is a hash of the name, which needs no coordination and is the same on every replica. Two sandboxes on a node that
 * share an id share the limit and nothing else, because processes and files belong to their pods. Among 200 sandboxes on a node and the
 * default range of 2·10⁹ ids, the odds of that are 1 to 100,000.
 */
export function sandboxUserId(name: string, { first, last }: UidRange): number {
  const hash = createHash('sha256').update(name).digest().readUIntBE(0, 6);
  return first + (hash % (last - first + 1));
}
