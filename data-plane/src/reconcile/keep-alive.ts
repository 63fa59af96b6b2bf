import { agentStatusSchema } from '@holdfast/specs';
import type { AgentClient } from '../agent/agent-client.ts';
import type { Database } from '../registry/connect.ts';
import { listBoundRoutes } from '../registry/list-bound-routes.ts';
import { touchRoute } from '../registry/touch-route.ts';
import type { Routes } from '../sessions/routes.ts';

type KeepAliveDependencies = {
  db: Database;
  agents: Pick<AgentClient, 'call'>;
  routes: Pick<Routes, 'find'>;
  hint(sessionId: string): void;
};

const atOnce = 16;

/** Renews the lease of every bound agent; one that does not answer is to be looked at. */
export async function keepAlive(deps: KeepAliveDependencies): Promise<void> {
  const waiting = await listBoundRoutes(deps.db);
  const renewSome = async () => {
    for (let next = waiting.pop(); next; next = waiting.pop()) await renew(deps, next.sessionId);
  };
  await Promise.all(Array.from({ length: atOnce }, renewSome));
}

async function renew({ db, agents, routes, hint }: KeepAliveDependencies, sessionId: string): Promise<void> {
  const route = await routes.find(sessionId);
  if (route?.status !== 'active') return;
  try {
    await agents.call(route, { method: 'GET', path: '/v1/session', schema: agentStatusSchema, timeoutMs: 5000 });
    await touchRoute(db, route);
  } catch {
    hint(sessionId);
  }
}
