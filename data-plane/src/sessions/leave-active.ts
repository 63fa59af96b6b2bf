import type { EndReason, SessionStatus } from '@holdfast/specs/public';
import type { AgentClient } from '../agent/agent-client.ts';
import type { Database } from '../registry/connect.ts';
import type { SessionRow } from '../registry/schema/sessions.ts';
import type { Deadline } from '../registry/sessions/due.ts';
import { endSession } from '../registry/sessions/end-session.ts';
import type { Runtime } from '../runtimes/runtime.ts';
import { fenceInTime } from './fence.ts';
import { type RemoveDependencies, removeSandbox } from './remove-sandbox.ts';
import type { Routes } from './sandbox-routes.ts';

export type LeaveDependencies = RemoveDependencies & {
  db: Database;
  routes: Routes;
  runtime: Runtime;
  agents: AgentClient;
  /** Work that goes on after an answer; a drain waits for it. */
  background(work: Promise<unknown>): void;
  onSessionEnd(reason: EndReason): void;
};

type Leaving = {
  id: string;
  tenant?: string;
  ifDue?: Deadline;
  from?: SessionStatus;
  to: Extract<SessionStatus, 'completed' | 'aborted' | 'expired' | 'failed'>;
  reason: EndReason;
  message?: string;
};

/**
 * Ends a session: the transition commits first, then the agent is fenced, so that once this resolves no further step starts. The
 * sandbox is removed behind the answer.
 * @returns the ended session; null where it was not live.
 * @throws Problem 503 where the session has ended and its sandbox cannot be fenced in time
 */
export async function leaveActive(deps: LeaveDependencies, leaving: Leaving): Promise<SessionRow | null> {
  const row = await startLeaving(deps, leaving);
  if (row) await fenceInTime(deps, row);
  return row;
}

/** As `leaveActive`, but resolves as soon as the transition is committed: the fence, too, goes on behind. */
export async function startLeaving(deps: LeaveDependencies, leaving: Leaving): Promise<SessionRow | null> {
  const row = await endSession(deps.db, leaving);
  if (!row) return null;
  deps.onSessionEnd(leaving.reason);
  deps.routes.forget(row.id);
  deps.background(removeSandbox(deps, row));
  return row;
}
