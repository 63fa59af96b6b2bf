import type { Sandbox } from '../../runtimes/runtime.ts';

/** A sandbox that the registry expects to exist, with the session to which it is bound; `session` is null for a warm one. */
export type Expected = { session: { id: string; epoch: number } | null; name: string; uid: string };

type Reads = {
  before: readonly Expected[];
  listed: readonly Sandbox[];
  after: readonly Expected[];
  /** The names of the sandboxes that are starting in either read of the registry, for a session in `creating` or a warm pool. */
  starting: ReadonlySet<string>;
  now: Date;
};
type Differences = {
  /** These are still to be confirmed, each by a GET of its name. */
  lost: Expected[];
  orphans: Sandbox[];
};

/** Two resyncs fit into the rest of a minute, so an orphan is gone a minute after its session. */
const orphanAgeMs = 10_000;

/** If more than this differs, one of the two sides is probably wrong. */
const suspiciousCount = 10;
const suspiciousShare = 0.3;

/**
 * Compares a complete list of sandboxes with two reads of the registry, one before it and one after it. A sandbox is lost if both
 * reads have it and the list does not, or has it as ended. An orphan is listed, old enough or ended, and in neither read expected or
 * starting. One that does not carry its database may be another registry's, and ends by its lease. Pure.
 * @returns null if the two sides differ so much that neither can be trusted
 */
export function compareSandboxes({ before, listed, after, starting, now }: Reads): Differences | null {
  const running = new Set(listed.filter((sandbox) => sandbox.phase !== 'ended').map((sandbox) => sandbox.uid));
  const expected = new Set([...before, ...after].map(({ uid }) => uid));
  const stillExpected = new Set(after.map(({ uid }) => uid));
  const lost = before.filter(({ uid }) => !running.has(uid) && stillExpected.has(uid));
  const isOld = ({ createdAt }: Sandbox) => now.getTime() - createdAt.getTime() > orphanAgeMs;
  const orphans = listed.filter(
    (sandbox) =>
      !sandbox.isUnidentified &&
      !expected.has(sandbox.uid) &&
      !starting.has(sandbox.name) &&
      (sandbox.phase === 'ended' || isOld(sandbox)),
  );
  // If this registry is another one, or was restored from an older state, these sandboxes belong to sessions that it does not know.
  // A sandbox that no replica calls any more ends by its lease.
  const unknown = orphans.filter(({ phase }) => phase !== 'ended').length;
  const isSuspicious = differsTooMuch(lost.length, before.length) || differsTooMuch(unknown, listed.length);
  return isSuspicious ? null : { lost, orphans };
}

/** Whether so many are missing at once that the one that misses them is probably wrong. */
export const differsTooMuch = (missing: number, total: number) =>
  missing > suspiciousCount && missing > total * suspiciousShare;
