import { agentContextSchema, type Context, type CreateContext, newId } from '@holdfast/specs';
import type { AgentClient } from '../agent/agent-client.ts';
import { insertContext } from '../registry/insert-context.ts';
import { agentProblem } from './agent-problem.ts';
import type { Caller } from './caller.ts';
import { contextView } from './context-view.ts';
import { type IdempotencyDependencies, idempotently } from './idempotently.ts';
import type { Routes } from './routes.ts';

type CreateContextDependencies = IdempotencyDependencies & {
  agents: Pick<AgentClient, 'call'>;
  routes: Pick<Routes, 'resolve'>;
  hint(sessionId: string): void;
};

type CreateInput = { caller: Caller; sessionId: string; request: CreateContext; idempotencyKey?: string };

/** Makes a further interpreter in the session. Throws Problem 400 where `cwd` leaves the workspace, 404, 410, 429, 503. */
export async function createContext(deps: CreateContextDependencies, input: CreateInput): Promise<Context> {
  const { caller, sessionId, request, idempotencyKey } = input;
  const route = await deps.routes.resolve({ sessionId, tenant: caller.tenant });
  const first = {
    tenant: caller.tenant,
    key: idempotencyKey,
    request: ['create context', sessionId, request],
    newId: newId('ctx'),
  };
  return await idempotently(deps, first, async (contextId) => {
    try {
      const body = { ...request, contextId };
      const call = { method: 'POST', path: '/v1/contexts', body, schema: agentContextSchema } as const;
      const made = await deps.agents.call(route, call);
      const { language, cwd } = made;
      const row = await insertContext(deps.db, { sessionId, id: contextId, language, cwd });
      return contextView(made, row?.createdAt ?? new Date());
    } catch (error) {
      throw agentProblem(deps, { sessionId, error });
    }
  });
}
