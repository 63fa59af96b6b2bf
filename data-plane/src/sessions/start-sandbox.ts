import { setTimeout as delay } from 'node:timers/promises';
import type { FromExport, InlineFile } from '@holdfast/specs/public';
import type { AgentClient } from '../agent/agent-client.ts';
import type { Seal } from '../keys/seal.ts';
import type { Database } from '../registry/connect.ts';
import type { SessionRow } from '../registry/schema/sessions.ts';
import { findSession } from '../registry/sessions/find-session.ts';
import { returnToPaused } from '../registry/sessions/pause-session.ts';
import type { ReadySandbox } from '../registry/warm-sandboxes/claim-warm-sandbox.ts';
import type { Runtime, SandboxKey } from '../runtimes/runtime.ts';
import { type RestoreDependencies, recoverContexts } from '../state/recover-contexts.ts';
import { type StartFromExportDependencies, startFromExport } from '../state/start-from-export.ts';
import { type BindDependencies, bindSandbox } from './bind-sandbox.ts';
import { type EndDependencies, endAndFence } from './end-and-fence.ts';
import { existingSession, refuseUnlessActive } from './existing-session.ts';
import { type LoseDependencies, recoverAgain } from './lose-sandbox.ts';
import { removeSandbox } from './remove-sandbox.ts';
import { sandboxName } from './sandbox-name.ts';
import { assignClaimedSandbox, type ClaimDependencies } from './start/assign-claimed-sandbox.ts';
import { type AssignedSandbox, assignSession } from './start/assign-session.ts';
import { failedStart, failureOf } from './start/failed-start.ts';
import { type FillDependencies, fillWorkspace } from './start/fill-workspace.ts';
import { meetAgent } from './start/meet-agent.ts';
import { type StoreFilesDependencies, storeInitialFiles } from './start/store-initial-files.ts';
import { hasSandbox } from './status.ts';

export type StartDependencies = EndDependencies &
  RestoreDependencies &
  LoseDependencies &
  ClaimDependencies &
  FillDependencies &
  StoreFilesDependencies &
  StartFromExportDependencies &
  BindDependencies & {
    db: Database;
    seal: Seal;
    runtime: Runtime;
    agents: AgentClient;
    isDraining(): boolean;
  };

type Starting = {
  session: SessionRow;
  env: Record<string, string>;
  /** The first files of the session's world. */
  files: readonly InlineFile[];
  claimed: ReadySandbox | null;
  /** The code that runs in its default context first. */
  fromExport?: FromExport | undefined;
  /** The assignment to the claimed sandbox, if it has begun. */
  assigning?: Promise<AssignedSandbox> | undefined;
};

/**
 * Gives a session in `creating`, `recovering` or `resuming` its sandbox, the one that it has claimed or else a new one, and makes it active. A repeat
 * finds the same sandbox: a claim is for ever, and a new sandbox is named after the session and its epoch.
 * @throws Problem 503 if the start fails, and the session then ends or its recovery begins again; 410 if the session has ended meanwhile
 */
export async function startSandbox(deps: StartDependencies, starting: Starting): Promise<SessionRow> {
  const { id, epoch } = starting.session;
  const name = sandboxName(id, epoch);
  const stopping = new AbortController();
  const { sandboxesEndWithDataPlane } = deps.runtime.capabilities;
  if (deps.isDraining() && sandboxesEndWithDataPlane) stopping.abort();
  const started = startOrFail(deps, starting, stopping.signal);
  deps.starting.set(name, { ended: started.catch(() => {}), stop: () => stopping.abort() });
  return await started.finally(() => deps.starting.delete(name));
}

async function startOrFail(deps: StartDependencies, starting: Starting, stopped: AbortSignal): Promise<SessionRow> {
  const { session } = starting;
  const timeout = AbortSignal.timeout(deps.startSeconds * 1000);
  const launched: SandboxKey[] = [];
  try {
    const active = await prepareAndBind(deps, { ...starting, launched, signal: AbortSignal.any([timeout, stopped]) });
    if (active) return active;
  } catch (cause) {
    const failure = failureOf({ timeout, stopped, cause });
    const { id, epoch, status: from } = session;
    const ifLaunching = { sessionId: id, epoch, replicaId: deps.replicaId };
    if (from === 'resuming' && stopped.aborted) {
      const paused = await returnToPaused(deps.db, { id, epoch, replicaId: deps.replicaId, ifLaunching });
      if (paused) deps.background(removeSandbox(deps, paused));
    } else if (from !== 'creating' && !stopped.aborted) {
      deps.log.warn({ sessionId: id, epoch, cause: failure, err: cause }, 'a recovery failed');
      await delay(pauseMs(session), undefined, { signal: stopped }).catch(() => {});
      const isGoingOn = !stopped.aborted && (await recoverAgain(deps, { id, epoch, ifLaunching }));
      if (isGoingOn) throw failedStart(failure.reason, cause);
    } else {
      const ended = await endAndFence(deps, { id, epoch, from, ifLaunching, ...failure });
      if (ended) throw failedStart(failure.reason, cause);
    }
  }
  return await settledElsewhere(deps, { session, launched });
}

/**
 * How long a recovery that has failed waits before it begins again: what was away for some seconds, such as the database, must not cost the
 * session all its attempts. It begins before the start deadline, at which another replica would do so.
 */
const pauseMs = ({ recoveryAttempts }: SessionRow): number => [0, 2000, 10_000][recoveryAttempts] ?? 0;

type Preparing = Starting & {
  /** Receives the launched sandbox as soon as there is one. */
  launched: SandboxKey[];
  signal: AbortSignal;
};

/**
 * Prepares the claimed sandbox, or a new one, and binds it. The result is null if the session waits for no sandbox any more: its
 * environment and its files are then for no sandbox.
 */
async function prepareAndBind(deps: StartDependencies, preparing: Preparing): Promise<SessionRow | null> {
  const { session, files, claimed, fromExport: exported, signal } = preparing;
  const stored = storeInitialFiles(deps, { sessionId: session.id, files });
  stored.catch(() => {});
  const assigned =
    (claimed && (await assignClaimedSandbox(deps, { ...preparing, claimed }))) ??
    (await launchAndAssign(deps, preparing));
  if (!assigned) return null;
  await stored;
  const route = assigned.target;
  // The registry has the states and the files of a session that is recovered or resumed, or begins with those of another one.
  const hasState = session.status !== 'creating' || session.lastRecovery !== null;
  if (files.length > 0 || hasState) await fillWorkspace(deps, { route, signal });
  const lastRecovery = hasState
    ? await recoverContexts(deps, { session, route, signal })
    : exported
      ? await startFromExport(deps, { session, route, exported, signal })
      : null;
  signal.throwIfAborted();
  return await bindSandbox(deps, { ...assigned, lastRecovery });
}

async function launchAndAssign(deps: StartDependencies, preparing: Preparing): Promise<AssignedSandbox | null> {
  const { session, env, claimed, launched, signal } = preparing;
  const { id, epoch, profile, network } = session;
  if (claimed && !(await isWaiting(deps, session))) return null;
  const sandbox = await deps.runtime.launch({ name: sandboxName(id, epoch), profile, network }, signal);
  launched.push(sandbox);
  const met = await meetAgent(deps, { sandbox, signal });
  if (!(await isWaiting(deps, session))) return null;
  return await assignSession(deps, { session, env, sandbox: met, signal });
}

/** Whether the session still waits for this sandbox. */
async function isWaiting({ db }: StartDependencies, { id, epoch, status }: SessionRow): Promise<boolean> {
  const now = await findSession(db, { id });
  return now?.status === status && now.epoch === epoch;
}

/**
 * The session stopped waiting without this start, or another replica goes on with it, because this one was silent for so long that the
 * client's repeat went there.
 * @throws Problem 410 if the session has ended, 503 if another replica is still starting it
 */
async function settledElsewhere(
  { db, runtime }: StartDependencies,
  { session, launched }: { session: SessionRow; launched: readonly SandboxKey[] },
): Promise<SessionRow> {
  const { id, tenant, epoch } = session;
  const found = await findSession(db, { id });
  if (found && hasSandbox(found.status)) return found;
  // The replica that has resumed the start uses the same sandbox.
  if (found?.status === session.status && found.epoch === epoch) refuseUnlessActive(found);
  // The end may have been before the launch, and then removed no sandbox. If this fails, the resync finds the orphan. A claimed
  // sandbox has a row, by which it is found.
  for (const sandbox of launched) await runtime.destroy(sandbox).catch(() => {});
  const now = await existingSession(db, { id, tenant });
  refuseUnlessActive(now);
  return now;
}
