import type { EndReason, SessionStatus } from '@holdfast/specs';
import type { AgentClient } from '../agent/agent-client.ts';
import type { Database } from '../registry/connect.ts';
import type { Deadline } from '../registry/due.ts';
import { endSession } from '../registry/end-session.ts';
import type { Runtime } from '../runtimes/runtime.ts';
import { type RemoveDependencies, removeSandbox } from './remove-sandbox.ts';
import type { Routes } from './routes.ts';
import type { SessionRow } from './session-view.ts';

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
 */
export async function leaveActive(deps: LeaveDependencies, leaving: Leaving): Promise<SessionRow | null> {
  const row = await endSession(deps.db, leaving);
  if (!row) return null;
  deps.onSessionEnd(leaving.reason);
  deps.routes.forget(row.id);
  await fence(deps, row).finally(() => deps.background(removeSandbox(deps, row)));
  return row;
}

const fenceTimeoutMs = 10_000;

/** Resolves when the agent of an ended session starts no more steps: it said so, or its sandbox is gone. May be repeated. */
export async function fence(deps: LeaveDependencies, { id }: { id: string }): Promise<void> {
  const route = await deps.routes.find(id);
  if (!route) return;
  try {
    await deps.agents.call(route, { method: 'POST', path: '/v1/fence', timeoutMs: fenceTimeoutMs });
  } catch {
    await deps.runtime.destroy({ name: route.sandboxName, uid: route.sandboxUid });
  }
}
