import { setTimeout as delay } from 'node:timers/promises';
import type { Change } from '../../registry/audit/changed-by.ts';
import type { Database } from '../../registry/connect.ts';
import { databaseUnavailable } from '../../registry/database-error.ts';
import { beginPause, cancelPause, type Pausing } from '../../registry/sessions/pause-session.ts';
import { changedJustNow } from '../existing-session.ts';
import { sandboxName } from '../sandbox-name.ts';

type Dependencies = {
  db: Database;
  replicaId: string;
  /** The pauses of this replica, by the name of the session's sandbox: those under way, and those that may have begun. */
  pausing: Set<string>;
  background(work: Promise<unknown>): void;
  isDraining(): boolean;
};

type Beginning = { id: string; epoch: number; seconds: number; ifIdle: boolean; change?: Change | undefined };

/** A pause that has begun. `left` is called when this replica has finished or cancelled it. */
type OwnPause = Pausing & { left(): void };

/**
 * Begins the pause of an active session. A replica has one pause of a session at a time: if the answer of the database is lost, the pause that may have
 * begun is known by its replica, and is cancelled. Otherwise the session would stay `pausing` until the deadline.
 * @throws Problem 503 if the session is not active in this epoch, or this replica is pausing it
 */
export async function beginOwnPause(
  deps: Dependencies,
  { id, epoch, seconds, ifIdle, change }: Beginning,
): Promise<OwnPause> {
  const { db, replicaId, pausing } = deps;
  const key = sandboxName(id, epoch);
  if (pausing.has(key)) throw changedJustNow(id);
  pausing.add(key);
  const left = () => void pausing.delete(key);
  try {
    const begun = await beginPause(db, { id, epoch, replicaId, seconds, ifIdle, change });
    if (!begun) throw changedJustNow(id);
    return { id, epoch, deadlineAt: begun.startDeadlineAt, left };
  } catch (error) {
    if (databaseUnavailable(error)) deps.background(cancelUnanswered(deps, { id, epoch, seconds }).finally(left));
    else left();
    throw error;
  }
}

const retryMs = 200;

/** A statement whose answer is lost has had its effect by then, or never has: the database ends it before. */
const lateMsMax = 40_000;

/** Cancels a pause as soon as it is seen, from when the database answers for as long as the lost statement may still begin it. */
async function cancelUnanswered(
  { db, replicaId, isDraining }: Dependencies,
  { id, epoch, seconds }: Omit<Beginning, 'ifIdle'>,
): Promise<void> {
  // After its deadline, or when this replica has left, any other makes the session active again.
  const endMs = performance.now() + seconds * 1000;
  let untilMs: number | null = null;
  for (; !isDraining() && performance.now() < (untilMs ?? endMs); await delay(retryMs)) {
    try {
      if (await cancelPause(db, { id, epoch, deadlineAt: 'any', replicaId })) return;
      untilMs ??= Math.min(endMs, performance.now() + lateMsMax);
    } catch (error) {
      if (!databaseUnavailable(error)) throw error;
    }
  }
}
