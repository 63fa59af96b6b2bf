import type { Sandbox } from '../runtimes/runtime.ts';

/** A sandbox that the registry counts on. */
export type Expected = { sessionId: string; name: string; uid: string };

type Reads = { before: readonly Expected[]; listed: readonly Sandbox[]; after: readonly Expected[]; now: Date };
type Differences = { lost: Expected[]; orphans: Sandbox[] };

/** A launch is not in the registry before it is bound. */
const orphanAgeMs = 90_000;

/** A list that denies more than this is more likely wrong than right. */
const suspiciousCount = 10;
const suspiciousShare = 0.3;

/**
 * Compares a complete list of sandboxes, read between two reads of the registry, with both. Lost is what the first read had and
 * the list has not, or has as ended; an orphan is listed, old enough, and in neither read. Pure.
 *
 * @returns null where the list is not to be believed
 */
export function compareSandboxes({ before, listed, after, now }: Reads): Differences | null {
  const running = new Set(listed.filter((sandbox) => sandbox.phase !== 'ended').map((sandbox) => sandbox.uid));
  const expected = new Set([...before, ...after].map(({ uid }) => uid));
  const stillExpected = new Set(after.map(({ uid }) => uid));
  const lost = before.filter(({ uid }) => !running.has(uid) && stillExpected.has(uid));
  const isOld = ({ createdAt }: Sandbox) => now.getTime() - createdAt.getTime() > orphanAgeMs;
  const orphans = listed.filter(
    (sandbox) => !expected.has(sandbox.uid) && (sandbox.phase === 'ended' || isOld(sandbox)),
  );
  const isSuspicious = lost.length > suspiciousCount && lost.length > before.length * suspiciousShare;
  return isSuspicious ? null : { lost, orphans };
}
