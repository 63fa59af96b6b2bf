import { type AgentContext, agentContextsSchema, agentSymbolsSchema } from '@holdfast/specs/agent';
import type { SessionContext } from '@holdfast/specs/public';
import type { AgentClient } from '../agent/agent-client.ts';
import type { Database } from '../registry/connect.ts';
import { listSucceededCode } from '../registry/steps/list-succeeded-code.ts';
import { agentProblem } from '../sessions/agent-problem.ts';
import type { Caller } from '../sessions/caller.ts';
import type { Route, Routes } from '../sessions/sandbox-routes.ts';

type ContextDependencies = {
  db: Database;
  agents: Pick<AgentClient, 'call'>;
  routes: Pick<Routes, 'resolve'>;
  hint(sessionId: string): void;
};

/** How many contexts are asked at once: each may answer with as much as an agent may say. */
const atOnce = 4;
/** More symbols than this are left out. */
const symbolsMax = 20_000;

type Succeeded = Awaited<ReturnType<typeof listSucceededCode>>;

/** What the session knows: the code that made its state, and the names that are defined. Throws Problem 404, 410, 503. */
export async function getSessionContext(
  deps: ContextDependencies,
  { caller, sessionId }: { caller: Caller; sessionId: string },
): Promise<SessionContext> {
  const route = await deps.routes.resolve({ sessionId, tenant: caller.tenant });
  const succeeded = await listSucceededCode(deps.db, { sessionId, epoch: route.epoch });
  try {
    const call = { method: 'GET', path: '/v1/contexts', schema: agentContextsSchema } as const;
    const { contexts } = await deps.agents.call(route, call);
    const actors = new Map(succeeded.map((step) => [step.stepId, step.actor]));
    const symbols: SessionContext['symbols'] = [];
    for (let next = 0; next < contexts.length && symbols.length < symbolsMax; next += atOnce) {
      const asked = contexts.slice(next, next + atOnce).map(async ({ contextId }) =>
        (await symbolsOf(deps, route, contextId)).map((symbol) => ({
          ...symbol,
          contextId,
          actor: (symbol.stepId && actors.get(symbol.stepId)) || null,
        })),
      );
      for (const found of await Promise.all(asked)) symbols.push(...found.slice(0, symbolsMax - symbols.length));
    }
    return { combinedCode: combinedCode(succeeded, contexts), symbols };
  } catch (error) {
    throw agentProblem(deps, { sessionId, error });
  }
}

async function symbolsOf({ agents }: ContextDependencies, route: Route, contextId: string) {
  const call = { method: 'GET', path: `/v1/contexts/${contextId}/symbols`, schema: agentSymbolsSchema } as const;
  return (await agents.call(route, call)).symbols;
}

/** The code that the living kernels have run: what ran in an earlier life of a context is no part of its state. Pure. */
function combinedCode(succeeded: Succeeded, contexts: readonly AgentContext[]): string {
  const epochs = new Map(contexts.map(({ contextId, contextEpoch }) => [contextId, contextEpoch]));
  return succeeded
    .filter(({ contextId, contextEpoch }) => contextId !== null && epochs.get(contextId) === contextEpoch)
    .map(({ code }) => code.trimEnd())
    .join('\n\n');
}
