import type { EndReason, SessionStatus } from '@holdfast/specs/public';
import type { AgentClient } from '../agent/agent-client.ts';
import type { Change } from '../registry/audit/changed-by.ts';
import type { Database } from '../registry/connect.ts';
import type { LaunchHold } from '../registry/sandboxes/launched-by-another.ts';
import type { SessionRow } from '../registry/schema/sessions.ts';
import type { Deadline } from '../registry/sessions/deadline-conditions.ts';
import { endSession } from '../registry/sessions/end-session.ts';
import type { Hold } from '../registry/steps/held-by-another.ts';
import type { Runtime } from '../runtimes/runtime.ts';
import { fenceInTime } from './fence.ts';
import { type RemoveDependencies, removeSandbox } from './remove-sandbox.ts';
import type { Routes } from './sandbox-routes.ts';
import type { TerminalStatus } from './status.ts';

export type EndDependencies = RemoveDependencies & {
  db: Database;
  routes: Routes;
  runtime: Runtime;
  agents: AgentClient;
  /** Work that goes on after an answer; a drain waits for it. */
  background(work: Promise<unknown>): void;
  replicaId: string;
  onSessionEnd(reason: EndReason): void;
};

type Ending = {
  id: string;
  tenant?: string;
  /**
   * The epoch of the sandbox that gave the reason: a session that has another sandbox by now does not end. `any` is for the host and
   * for a stop, which mean the session whichever sandbox it has.
   */
  epoch: number | 'any';
  ifPassed?: Deadline | undefined;
  /** The step of this replica that gave the reason: the session does not end if another replica follows it or its end is recorded. */
  ifFollowed?: Hold;
  /** The sandbox whose start has failed: the session does not end if another replica has resumed the start. */
  ifLaunching?: LaunchHold;
  /** The session does not end if a replica has heard the agent of this epoch within so many seconds. */
  ifUnheardSeconds?: number | undefined;
  from?: SessionStatus;
  /** Without it, the system ends the session by itself. */
  change?: Change;
  to: TerminalStatus;
  reason: EndReason;
  message?: string | undefined;
};

/**
 * Ends a session: the transition commits first, then the agent is fenced, so no step starts after this resolves. The sandbox is removed
 * in the background.
 * @returns the ended session; null if the session was not live, or not as described
 * @throws Problem 503 if the session has ended and its sandbox cannot be fenced in time
 */
export async function endAndFence(deps: EndDependencies, ending: Ending): Promise<SessionRow | null> {
  const row = await endWithoutWaiting(deps, ending);
  if (row) await fenceInTime(deps, row);
  return row;
}

/** As `endAndFence`, but resolves as soon as the transition is committed: the fence, too, goes on in the background. */
export async function endWithoutWaiting(deps: EndDependencies, ending: Ending): Promise<SessionRow | null> {
  const row = await endSession(deps.db, { ...ending, replicaId: deps.replicaId });
  if (!row) return null;
  deps.onSessionEnd(ending.reason);
  deps.routes.drop(row.id);
  deps.background(removeSandbox(deps, row));
  return row;
}
