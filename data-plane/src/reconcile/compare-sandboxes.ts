import type { Sandbox } from '../runtimes/runtime.ts';

/** A sandbox that the registry counts on: bound to a session, or warm, where `sessionId` is null. */
export type Expected = { sessionId: string | null; name: string; uid: string };

type Reads = {
  before: readonly Expected[];
  listed: readonly Sandbox[];
  after: readonly Expected[];
  /** The names of sandboxes that are starting in either read of the registry, for a session in `creating` or a warm pool. */
  starting: ReadonlySet<string>;
  now: Date;
};
type Differences = { lost: Expected[]; orphans: Sandbox[] };

/** With two resyncs to come within it, an orphan is gone a minute after its session. */
const orphanAgeMs = 10_000;

/** A list that denies more than this is more likely wrong than right. */
const suspiciousCount = 10;
const suspiciousShare = 0.3;

/**
 * Compares a complete list of sandboxes, read between two reads of the registry, with both. Lost is what the first read had and
 * the list has not, or has as ended; an orphan is listed, old enough, and neither expected nor starting in either
 * read. Pure.
 *
 * @returns null where the list is not to be believed
 */
export function compareSandboxes({ before, listed, after, starting, now }: Reads): Differences | null {
  const running = new Set(listed.filter((sandbox) => sandbox.phase !== 'ended').map((sandbox) => sandbox.uid));
  const expected = new Set([...before, ...after].map(({ uid }) => uid));
  const stillExpected = new Set(after.map(({ uid }) => uid));
  const lost = before.filter(({ uid }) => !running.has(uid) && stillExpected.has(uid));
  const isOld = ({ createdAt }: Sandbox) => now.getTime() - createdAt.getTime() > orphanAgeMs;
  const orphans = listed.filter(
    (sandbox) =>
      !expected.has(sandbox.uid) && !starting.has(sandbox.name) && (sandbox.phase === 'ended' || isOld(sandbox)),
  );
  const isSuspicious = lost.length > suspiciousCount && lost.length > before.length * suspiciousShare;
  return isSuspicious ? null : { lost, orphans };
}
