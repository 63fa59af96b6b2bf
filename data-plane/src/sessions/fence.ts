import { Problem } from '@holdfast/specs/public';
import type { AgentClient } from '../agent/agent-client.ts';
import { databaseUnavailable } from '../registry/database-error.ts';
import type { Runtime } from '../runtimes/runtime.ts';
import { singleFlight } from '../timing/single-flight.ts';
import { withDeadline } from '../timing/with-deadline.ts';
import type { Routes } from './sandbox-routes.ts';

export type FenceDependencies = {
  routes: Pick<Routes, 'find'>;
  agents: Pick<AgentClient, 'call'>;
  runtime: Pick<Runtime, 'destroy'>;
  /** Fences that are under way on this replica, by session id. */
  fencing: Map<string, Promise<void>>;
};

/**
 * Resolves when the agent of an ended session starts no more steps: it said so, or its sandbox is gone. May be repeated.
 * @throws what the runtime throws where that cannot be confirmed
 */
export function fence(deps: FenceDependencies, { id }: { id: string }): Promise<void> {
  return singleFlight(deps.fencing, id, () => fenceOnce(deps, id));
}

const answerWithinMs = 10_000;

/**
 * As `fence`, for a caller who waits for an answer.
 * @throws Problem 503 where it is not confirmed in time, or cannot be; it goes on, and asking again tells how it went
 */
export async function fenceInTime(deps: FenceDependencies, { id }: { id: string }): Promise<void> {
  try {
    await withDeadline(fence(deps, { id }), { ms: answerWithinMs, what: 'the fence' });
  } catch (cause) {
    if (databaseUnavailable(cause)) throw cause;
    const detail = `session ${id} has ended, but its sandbox does not answer and is not known to be gone`;
    throw new Problem('sandbox-unreachable', { detail, retryAfterSeconds: 5, cause });
  }
}

/** Leaves the runtime a part of the time in which a caller wants an answer. */
const agentTimeoutMs = 7000;

async function fenceOnce({ routes, agents, runtime }: FenceDependencies, id: string): Promise<void> {
  const route = await routes.find(id);
  if (!route) return;
  try {
    await agents.call(route, { method: 'POST', path: '/v1/fence', timeoutMs: agentTimeoutMs });
  } catch {
    await runtime.destroy({ name: route.sandboxName, uid: route.sandboxUid });
  }
}
