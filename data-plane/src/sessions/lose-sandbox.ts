import { type LossReason, lossReasons, Problem } from '@holdfast/specs/public';
import type { LaunchHold } from '../registry/sandboxes/launched-by-another.ts';
import type { SessionRow } from '../registry/schema/sessions.ts';
import { beginRecovery } from '../registry/sessions/begin-recovery.ts';
import { findSession } from '../registry/sessions/find-session.ts';
import { loseSandbox as recordLoss } from '../registry/sessions/lose-sandbox.ts';
import { returnToPaused } from '../registry/sessions/pause-session.ts';
import type { Hold } from '../registry/steps/held-by-another.ts';
import type { SandboxCause } from '../runtimes/runtime.ts';
import { attemptsMax } from '../state/recover-contexts.ts';
import { type LastStateDependencies, saveLastState } from '../state/save-last-state.ts';
import { mayStillRun } from './await-earlier-end.ts';
import { startGraceSeconds } from './deadlines.ts';
import { type EndDependencies, endWithoutWaiting } from './end-and-fence.ts';
import { removeSandbox } from './remove-sandbox.ts';
import { sandboxName } from './sandbox-name.ts';

export type LoseDependencies = EndDependencies &
  LastStateDependencies & {
    startSeconds: number;
    leaseSeconds: number;
    /** Gives a session that has just become `recovering` its next sandbox. */
    resume(session: SessionRow): Promise<SessionRow>;
  };

type Loss = {
  id: string;
  /** The epoch of the sandbox that is lost: a session that has another one by now keeps it. */
  epoch: number;
  because: SandboxCause;
  /** As in `endAndFence`. */
  ifFollowed?: Hold;
  ifUnheardSeconds?: number | undefined;
};

/** A sandbox that is lost for these reasons may still be there for some seconds. */
const leavesTime: ReadonlySet<LossReason> = new Set(['deleted_by_operator', 'evicted']);

/**
 * Acts on the loss of an active session's sandbox as the session has chosen: gives it another one in the background, lets it wait for its
 * host, or fails it. Resolves when the registry is changed.
 * @returns whether this call changed anything
 */
export async function loseSandbox(deps: LoseDependencies, loss: Loss): Promise<boolean> {
  const { db, replicaId } = deps;
  const { id, epoch, because, ifFollowed, ifUnheardSeconds } = loss;
  const { recovery } = (await findSession(db, { id })) ?? { recovery: 'off' };
  const reason = lossReasons.find((one) => one === because.reason);
  const known = { reason: reason as LossReason, message: because.message };
  if (reason && recovery === 'auto') {
    if (leavesTime.has(reason)) await saveLastState(deps, { id, epoch });
    const isAutomatic = true;
    return await recover(deps, {
      id,
      epoch,
      from: 'active',
      isAutomatic,
      because: known,
      ifFollowed,
      ifUnheardSeconds,
    });
  }
  if (reason && recovery === 'manual') {
    const lost = await recordLoss(db, { id, epoch, because: known, replicaId, ifFollowed, ifUnheardSeconds });
    if (!lost) return false;
    deps.routes.drop(id);
    deps.background(removeSandbox(deps, lost));
    return true;
  }
  const ending = { id, epoch, to: 'failed', ...because, ifUnheardSeconds, ...(ifFollowed && { ifFollowed }) } as const;
  return (await endWithoutWaiting(deps, ending)) !== null;
}

type Again = { id: string; epoch: number; ifLaunching?: LaunchHold };

/**
 * Begins a recovery again with a new sandbox, after one that failed. If that has happened too often, the session fails; one that was paused is
 * paused again.
 * @returns whether a recovery goes on
 */
export async function recoverAgain(deps: LoseDependencies, { id, epoch, ifLaunching }: Again): Promise<boolean> {
  const session = await findSession(deps.db, { id });
  if (session?.epoch !== epoch || (session.status !== 'recovering' && session.status !== 'resuming')) return false;
  const { status: from } = session;
  if (session.recoveryAttempts < attemptsMax) {
    const { lostReason } = session;
    return await recover(deps, { id, epoch, lostReason, from, isAutomatic: false, ifLaunching });
  }
  if (from === 'resuming') {
    const paused = await returnToPaused(deps.db, { id, epoch, replicaId: deps.replicaId, ifLaunching });
    if (paused) deps.background(removeSandbox(deps, paused));
    return false;
  }
  const message = `${attemptsMax} recoveries in a row failed, after the sandbox was lost: ${session.lostMessage ?? session.lostReason}`;
  const end = { id, epoch, from: 'recovering', to: 'failed', reason: 'recovery_failed', message } as const;
  await endWithoutWaiting(deps, { ...end, ...(ifLaunching && { ifLaunching }) });
  return false;
}

type Recovery = Pick<
  Parameters<typeof beginRecovery>[1],
  | 'id'
  | 'epoch'
  | 'from'
  | 'isAutomatic'
  | 'change'
  | 'because'
  | 'ifFollowed'
  | 'ifLaunching'
  | 'ifUnheardSeconds'
  | 'ifPausing'
> & {
  /** The reason that is recorded already. */
  lostReason?: string | null;
};

async function recover(deps: LoseDependencies, recovery: Recovery): Promise<boolean> {
  const session = await startRecovery(deps, recovery);
  if (session) deps.background(deps.resume(session).catch(ignoreRefusal));
  return session !== null;
}

/** Moves a session on to its next epoch. The caller gives it a sandbox. Null as in `beginRecovery`. */
export async function startRecovery(
  deps: LoseDependencies,
  { lostReason, ...recovery }: Recovery,
): Promise<SessionRow | null> {
  const { db, replicaId, startSeconds, leaseSeconds } = deps;
  const waitSeconds = mayStillRun(recovery.because?.reason ?? lostReason) ? leaseSeconds : 0;
  const session = await beginRecovery(db, {
    ...recovery,
    replicaId,
    attemptsMax,
    startSeconds: startSeconds + startGraceSeconds + waitSeconds,
    sandboxName: sandboxName(recovery.id, recovery.epoch + 1),
  });
  if (session) {
    deps.routes.drop(session.id);
    deps.background(removeSandbox(deps, { id: session.id, epoch: session.epoch - 1 }));
  }
  return session;
}

/** A start that failed has said so in the log, and what follows from it is in the registry. */
function ignoreRefusal(error: unknown): void {
  if (!(error instanceof Problem)) throw error;
}
