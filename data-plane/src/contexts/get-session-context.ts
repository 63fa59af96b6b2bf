import { type AgentContext, agentSymbolsSchema } from '@holdfast/specs/agent';
import { isBuiltIn, type SessionContext, symbolSchema } from '@holdfast/specs/public';
import type { AgentClient } from '../agent/agent-client.ts';
import type { LongAnswer, Streamed } from '../reading/json-slices.ts';
import type { LargeReads } from '../reading/large-reads.ts';
import type { Database } from '../registry/connect.ts';
import { listSucceededSteps, type SucceededStep } from '../registry/steps/list-succeeded-steps.ts';
import { agentProblem } from '../sessions/agent-problem.ts';
import type { Caller } from '../sessions/caller.ts';
import type { Route, Routes } from '../sessions/sandbox-routes.ts';
import { combinedCode } from './combined-code.ts';
import { listLiveContexts } from './list-live-contexts.ts';
import { stepsByContext } from './steps-by-context.ts';

type ContextDependencies = {
  db: Database;
  reads: LargeReads;
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

/** The public answer, with code that is read while it is sent. */
type ContextAnswer = LongAnswer<{
  contexts: (Omit<SessionContext['contexts'][number], 'combinedCode'> & { combinedCode: Streamed })[];
  symbols: SessionContext['symbols'];
}>;

/** The code that made the session's state, context by context, and the names that are defined. Throws Problem 404, 410, 503. */
export async function getSessionContext(
  deps: ContextDependencies,
  { caller, sessionId }: { caller: Caller; sessionId: string },
): Promise<ContextAnswer> {
  const route = await deps.routes.resolve({ sessionId, tenant: caller.tenant });
  const succeeded = await listSucceededSteps(deps.db, { sessionId, epoch: route.epoch });
  try {
    const contexts = await listLiveContexts(deps, route);
    const symbols = await listSymbols(deps, { route, contexts, succeeded });
    const live = stepsByContext(succeeded, contexts);
    return {
      isLong: true,
      open: async (reader) => ({
        contexts: live.map(({ ran, ...context }) => ({
          ...context,
          listsSymbols: isBuiltIn(context.language),
          combinedCode: combinedCode(deps.reads, ran, reader),
        })),
        symbols,
      }),
    };
  } catch (error) {
    throw agentProblem(deps, { sessionId, error });
  }
}

type SymbolsInput = { route: Route; contexts: readonly AgentContext[]; succeeded: readonly SucceededStep[] };

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
