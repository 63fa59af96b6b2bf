import type { Sandbox } from '../../runtimes/runtime.ts';

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

/** A list that denies more than this is more likely wrong than right, and so is a registry that denies more of a list. */
const suspiciousCount = 10;
const suspiciousShare = 0.3;

/**
 * Compares a complete list of sandboxes, read between two reads of the registry, with both. Lost is what the first read had and
 * the list has not, or has as ended; an orphan is listed, old enough, and neither expected nor starting in either
 * read. Pure.
 *
 * @returns null where one of the two is not to be believed
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
  // The sandboxes of a registry that is another one, or an older one. Those that nobody calls end by their lease.
  const strangers = orphans.filter(({ phase }) => phase !== 'ended').length;
  const isSuspicious = ofSuspiciousSize(lost.length, before.length) || ofSuspiciousSize(strangers, listed.length);
  return isSuspicious ? null : { lost, orphans };
}

const ofSuspiciousSize = (missing: number, of: number) => missing > suspiciousCount && missing > of * suspiciousShare;
