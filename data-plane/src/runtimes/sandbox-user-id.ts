import { createHash } from 'node:crypto';

/** User ids, both ends included. */
export type UidRange = { first: number; last: number };

/**
 * The user and group id of the sandbox of this name. The process limit (RLIMIT_NPROC) counts per user id and node, so each sandbox has
 * its own: a hash of the name, which needs no coordination and is the same on every replica. Two sandboxes on a node that share one
 * would share the limit, and nothing else, since processes and files are their pods' own; among 200 sandboxes on a node and the default
 * range of 2·10⁹ ids the odds are 1 to 100,000.
 */
export function sandboxUserId(name: string, { first, last }: UidRange): number {
  const hash = createHash('sha256').update(name).digest().readUIntBE(0, 6);
  return first + (hash % (last - first + 1));
}
