import { type AgentContext, agentContextsSchema } from '@holdfast/specs/agent';
import type { AgentClient } from '../agent/agent-client.ts';
import type { Database } from '../registry/connect.ts';
import { reserveContextEpoch } from '../sessions/reserve-context-epoch.ts';
import type { Route } from '../sessions/sandbox-routes.ts';

const answerBytesMax = 2 ** 20;

/**
 * The contexts that a sandbox has now. Their numbers are reserved, so they may be shown.
 * @throws AgentError; the database's error
 */
export async function listLiveContexts(
  { agents, db }: { agents: Pick<AgentClient, 'call'>; db: Database },
  route: Route,
): Promise<AgentContext[]> {
  const call = { method: 'GET', path: '/v1/contexts', schema: agentContextsSchema, answerBytesMax } as const;
  const { contexts } = await agents.call(route, call);
  // The highest comes first, so that one statement at most is needed.
  const epochs = contexts.map((context) => context.contextEpoch).toSorted((a, b) => b - a);
  for (const contextEpoch of epochs) await reserveContextEpoch({ db }, { route, contextEpoch });
  return contexts;
}
