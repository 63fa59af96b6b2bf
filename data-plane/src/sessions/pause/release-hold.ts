import { setTimeout as delay } from 'node:timers/promises';
import type { AgentClient } from '../../agent/agent-client.ts';
import { AgentError } from '../../agent/agent-error.ts';
import type { Pausing } from '../../registry/sessions/pause-session.ts';
import type { Route } from '../sandbox-routes.ts';

type Dependencies = { agents: Pick<AgentClient, 'call'>; background(work: Promise<unknown>): void; retryMs?: number };

/** `hold`: the path of the agent's hold. */
type Held = { route: Route; hold: string };

/** The path of the agent's hold for this pause. It names the pause, so the hold of a later one stays. */
export const holdOf = ({ deadlineAt }: Pick<Pausing, 'deadlineAt'>): string => `/v1/hold?by=${deadlineAt.getTime()}`;

const callTimeoutMs = 5000;
/** By then every hold has ended by itself. */
const patienceMs = 120_000;

/** Lets the agent of a session run steps again. If the agent does not answer, this goes on in the background. Never throws. */
export async function releaseHold(deps: Dependencies, held: Held): Promise<void> {
  if (!(await isReleased(deps, held))) deps.background(releaseWithPatience(deps, held));
}

async function releaseWithPatience(deps: Dependencies, held: Held): Promise<void> {
  const { retryMs = 1000 } = deps;
  for (const startMs = performance.now(); performance.now() - startMs < patienceMs; ) {
    await delay(retryMs);
    if (await isReleased(deps, held)) return;
  }
}

/** An agent that refuses has no such hold, or serves no session any more. */
async function isReleased({ agents }: Dependencies, { route, hold }: Held): Promise<boolean> {
  try {
    await agents.call(route, { method: 'DELETE', path: hold, timeoutMs: callTimeoutMs });
    return true;
  } catch (error) {
    return error instanceof AgentError && error.kind === 'refused';
  }
}
