import { type AgentContext, agentContextsSchema, agentSymbolsSchema } from '@holdfast/specs/agent';
import { type SessionContext, symbolSchema } from '@holdfast/specs/public';
import type { AgentClient } from '../agent/agent-client.ts';
import type { Database } from '../registry/connect.ts';
import { listSucceededCode, type SucceededCode } from '../registry/steps/list-succeeded-code.ts';
import { agentProblem } from '../sessions/agent-problem.ts';
import type { Caller } from '../sessions/caller.ts';
import type { Route, Routes } from '../sessions/sandbox-routes.ts';
import { codeByContext } from './code-by-context.ts';
import { contextsBytesMax } from './list-contexts.ts';

type ContextDependencies = {
  db: Database;
  agents: Pick<AgentClient, 'call'>;
  routes: Pick<Routes, 'resolve'>;
  hint(sessionId: string): void;
};

/** Contexts that are asked for their symbols at the same time; each answer may be as large as an agent's answers can be. */
const contextsAtOnce = 4;
const list = { key: 'symbols', item: symbolSchema, itemsMax: 10_000 };
const symbolsAnswer = { schema: agentSymbolsSchema, list, answerBytesMax: 16 * 2 ** 20 };
/** Further symbols are left out. */
const symbolsMax = 20_000;

/** The code that made the session's state, context by context, and the names that are defined. Throws Problem 404, 410, 503. */
export async function getSessionContext(
  deps: ContextDependencies,
  { caller, sessionId }: { caller: Caller; sessionId: string },
): Promise<SessionContext> {
  const route = await deps.routes.resolve({ sessionId, tenant: caller.tenant });
  const succeeded = await listSucceededCode(deps.db, { sessionId, epoch: route.epoch });
  try {
    const call = {
      method: 'GET',
      path: '/v1/contexts',
      schema: agentContextsSchema,
      answerBytesMax: contextsBytesMax,
    } as const;
    const { contexts } = await deps.agents.call(route, call);
    const symbols = await listSymbols(deps, { route, contexts, succeeded });
    return { contexts: codeByContext(succeeded, contexts), symbols };
  } catch (error) {
    throw agentProblem(deps, { sessionId, error });
  }
}

type SymbolsInput = { route: Route; contexts: readonly AgentContext[]; succeeded: readonly SucceededCode[] };

/** The names that each context defines, with the actor of the step that defined them. */
async function listSymbols({ agents }: ContextDependencies, { route, contexts, succeeded }: SymbolsInput) {
  const actors = new Map(succeeded.map((step) => [step.stepId, step.actor]));
  const symbols: SessionContext['symbols'] = [];
  for (let next = 0; next < contexts.length && symbols.length < symbolsMax; next += contextsAtOnce) {
    const asked = contexts.slice(next, next + contextsAtOnce).map(async ({ contextId }) => {
      const path = `/v1/contexts/${contextId}/symbols`;
      const answer = await agents.call(route, { method: 'GET', path, ...symbolsAnswer });
      return answer.symbols.map((symbol) => ({
        ...symbol,
        contextId,
        actor: (symbol.stepId && actors.get(symbol.stepId)) || null,
      }));
    });
    for (const found of await Promise.all(asked)) symbols.push(...found.slice(0, symbolsMax - symbols.length));
  }
  return symbols;
}
