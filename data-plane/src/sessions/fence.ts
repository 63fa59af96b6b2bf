import { Problem } from '@holdfast/specs/public';
import type { AgentClient } from '../agent/agent-client.ts';
import { databaseUnavailable } from '../registry/database-error.ts';
import type { Runtime } from '../runtimes/runtime.ts';
import { singleFlight } from '../timing/single-flight.ts';
import { withDeadline } from '../timing/with-deadline.ts';
import { sandboxName } from './sandbox-name.ts';
import type { Routes } from './sandbox-routes.ts';

export type FenceDependencies = {
  routes: Pick<Routes, 'find'>;
  agents: Pick<AgentClient, 'call'>;
  runtime: Pick<Runtime, 'destroy'>;
  /** Fences that are under way on this replica, by the name of the session's sandbox. */
  fencing: Map<string, Promise<void>>;
};

type Ended = { id: string; epoch: number };

/**
 * Resolves when the agent of an ended session starts no more steps: it has said so, or its sandbox is gone. May be repeated.
 * @throws SandboxError if neither can be confirmed
 */
export function fence(deps: FenceDependencies, { id, epoch }: Ended): Promise<void> {
  return singleFlight(deps.fencing, sandboxName(id, epoch), () => fenceOnce(deps, { id, epoch }));
}

const answerWithinMs = 10_000;

/**
 * As `fence`, for a client that waits for an answer.
 * @throws Problem 503 if the fence is not confirmed in time or fails; it goes on, and a repeat of the request tells how it went
 */
export async function fenceInTime(deps: FenceDependencies, { id, epoch }: Ended): Promise<void> {
  try {
    await withDeadline(fence(deps, { id, epoch }), { ms: answerWithinMs, what: 'the fence' });
  } catch (cause) {
    if (databaseUnavailable(cause)) throw cause;
    const detail = `session ${id} has ended, but its sandbox does not answer and is not known to be gone`;
    throw new Problem('sandbox-unreachable', { detail, retryAfterSeconds: 5, cause });
  }
}

/** Leaves some of that time for the runtime. */
const agentTimeoutMs = 7000;

async function fenceOnce({ routes, agents, runtime }: FenceDependencies, { id, epoch }: Ended): Promise<void> {
  const route = await routes.find(id);
  if (route?.epoch !== epoch) return;
  try {
    await agents.call(route, { method: 'POST', path: '/v1/fence', timeoutMs: agentTimeoutMs });
  } catch {
    await runtime.destroy({ name: route.sandboxName, uid: route.sandboxUid });
  }
}
