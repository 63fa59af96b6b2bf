import { agentStepsSchema } from '@holdfast/specs';
import type { AgentClient } from '../agent/agent-client.ts';
import type { Database } from '../registry/connect.ts';
import { listBoundRoutes } from '../registry/list-bound-routes.ts';
import { listEnded } from '../registry/list-ended.ts';
import { touchRoute } from '../registry/touch-route.ts';
import type { Acknowledgements } from '../sessions/acknowledgements.ts';
import type { Routes } from '../sessions/routes.ts';

type KeepAliveDependencies = {
  db: Database;
  agents: Pick<AgentClient, 'call'>;
  routes: Pick<Routes, 'find'>;
  acknowledgements: Pick<Acknowledgements, 'add'>;
  hint(sessionId: string): void;
};

const atOnce = 16;

/**
 * Renews the lease of every bound agent; one that does not answer is to be looked at. Acknowledges what it still holds and the
 * registry has: a replica may have died between recording an end and saying so.
 */
export async function keepAlive(deps: KeepAliveDependencies): Promise<void> {
  const waiting = await listBoundRoutes(deps.db);
  const renewSome = async () => {
    for (let next = waiting.pop(); next; next = waiting.pop()) await renew(deps, next.sessionId);
  };
  await Promise.all(Array.from({ length: atOnce }, renewSome));
}

async function renew(
  { db, agents, routes, acknowledgements, hint }: KeepAliveDependencies,
  sessionId: string,
): Promise<void> {
  const route = await routes.find(sessionId);
  if (route?.status !== 'active') return;
  try {
    const call = { method: 'GET', path: '/v1/steps', schema: agentStepsSchema, timeoutMs: 5000 } as const;
    const { steps } = await agents.call(route, call);
    await touchRoute(db, route);
    const finished = steps.filter((step) => step.state === 'finished').map((step) => step.stepId);
    acknowledgements.add(route, ...(await listEnded(db, { sessionId, stepIds: finished })));
  } catch {
    hint(sessionId);
  }
}
