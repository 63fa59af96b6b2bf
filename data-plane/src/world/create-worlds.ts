import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { AgentError } from '../agent/agent-error.ts';
import { claimWorld, holdsWorld, type WorldClaim } from '../registry/world-files/claim-world.ts';
import { releaseWorld } from '../registry/world-files/release-world.ts';
import { noSession } from '../sessions/existing-session.ts';
import type { Route } from '../sessions/sandbox-routes.ts';
import { createKeyedLocks } from '../timing/keyed-locks.ts';
import { worldIsBusy } from './record-change.ts';
import { retryThroughOutage } from './retry-through-outage.ts';
import { type SettleDependencies, settleWorld } from './settle-world.ts';

export type WorldsDependencies = SettleDependencies & { replicaId: string };

export type Worlds = ReturnType<typeof createWorlds>;

type Writing = {
  sessionId: string;
  /** The sandbox with the working copy; null if there is none any more. */
  route: Route | null;
  /** Whether to wait for as long as the database is away or another replica is writing. A client is told soon instead. */
  isPatient?: boolean;
};

/** One write of a session's world. */
export type WorldWrite = {
  claim: WorldClaim;
  /**
   * Runs what changes the working copy. If it fails, the world stays marked, unless the agent never received the request or
   * `leavesAll` says that this refusal changed nothing.
   * @throws Problem 503 if another replica has taken the claim over, because this one slept; the errors of `change`
   */
  touch<T>(change: () => Promise<T>, options: { leavesAll: (refusal: AgentError) => boolean }): Promise<T>;
};

/** The worlds of this replica's sessions. */
export function createWorlds(deps: WorldsDependencies) {
  const locks = createKeyedLocks();
  return {
    /** Whether this replica is writing to the world of a session, or waits to do so. */
    isWriting: locks.isRunning,

    /**
     * Runs one write at a time for each session, over all replicas. `work` ends with the statement that records the change and releases
     * the claim. If the world is marked, it is first compared with the working copy.
     *
     * @throws Problem 404 if the session is gone, 503 if another replica keeps writing; the errors of `work`
     */
    write: <T>(writing: Writing, work: (write: WorldWrite) => Promise<T>): Promise<T> =>
      locks.run(writing.sessionId, () => writeWorld(deps, writing, work)),
  };
}

async function writeWorld<T>(
  deps: WorldsDependencies,
  writing: Writing,
  work: (write: WorldWrite) => Promise<T>,
): Promise<T> {
  let claim = await takeClaim(deps, writing);
  // Under a policy the end of a step comes first, so that its changes are its own and not those that a comparison finds.
  if (claim.isUnsettled && writing.route && !(writing.isPatient && claim.rules)) {
    await settleWorld(deps, { route: writing.route, claim });
    claim = await takeClaim(deps, writing);
  }
  let isTouched = false;
  const touch: WorldWrite['touch'] = async (change, { leavesAll }) => {
    // At the end of a step its code has changed the working copy already. The statement that records it checks the claim.
    if (!writing.isPatient && !(await holdsWorld(deps.db, claim))) throw worldIsBusy();
    isTouched = true;
    try {
      return await change();
    } catch (error) {
      const isSafe =
        error instanceof AgentError && (error.kind === 'refused' ? leavesAll(error) : error.kind === 'undelivered');
      isTouched = !isSafe;
      throw error;
    }
  };
  try {
    return await work({ claim, touch });
  } catch (error) {
    const isUnsettled = claim.isUnsettled || isTouched;
    const lost = { ...claim, isUnsettled };
    // If the claim is still there, the mark stays by itself. If it was taken over, no other replica knows of the change.
    await giveUp(deps, { ...writing, isPatient: false }, lost).catch(() => {
      void giveUp(deps, { ...writing, isPatient: true }, lost).catch(() => {});
    });
    throw error;
  }
}

/** Releases the claim of a write that failed, and marks the world even if another replica has taken the claim over meanwhile. */
async function giveUp(deps: WorldsDependencies, writing: Writing, claim: WorldClaim): Promise<void> {
  const through = <T>(statement: () => Promise<T>) =>
    retryThroughOutage(statement, { isPatient: writing.isPatient ?? false });
  if ((await through(() => releaseWorld(deps.db, claim))) || !claim.isUnsettled) return;
  // That replica may have compared the world before this write changed the working copy.
  const next = await takeClaim(deps, writing);
  await through(() => releaseWorld(deps.db, { ...next, isUnsettled: true }));
}

const pollMs = 50;

/** A write that is not patient gives up after this time if another replica is writing. */
const busyMsMax = 30_000;

async function takeClaim(
  { db, replicaId }: WorldsDependencies,
  { sessionId, isPatient = false }: Writing,
): Promise<WorldClaim> {
  const input = { sessionId, writer: randomUUID(), replicaId };
  for (const startMs = performance.now(); ; await delay(pollMs)) {
    const claim = await retryThroughOutage(() => claimWorld(db, input), { isPatient });
    if (claim === null) throw noSession(sessionId);
    if (claim !== 'held') return claim;
    if (!isPatient && performance.now() - startMs > busyMsMax) throw worldIsBusy();
  }
}
