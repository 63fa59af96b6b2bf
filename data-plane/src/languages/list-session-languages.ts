import { agentLanguagesSchema } from '@holdfast/specs/agent';
import type { SessionLanguages } from '@holdfast/specs/public';
import type { AgentClient } from '../agent/agent-client.ts';
import { agentProblem } from '../sessions/agent-problem.ts';
import type { Caller } from '../sessions/caller.ts';
import type { Routes } from '../sessions/sandbox-routes.ts';
import { describeLanguage } from './describe-language.ts';

type ListDependencies = {
  agents: Pick<AgentClient, 'call'>;
  routes: Pick<Routes, 'resolve'>;
  hint(sessionId: string): void;
};

/**
 * The languages that contexts of the session can have, as its sandbox finds them now.
 * @throws Problem 404, 410, 502, 503
 */
export async function listSessionLanguages(
  deps: ListDependencies,
  { caller, sessionId }: { caller: Caller; sessionId: string },
): Promise<SessionLanguages> {
  const route = await deps.routes.resolve({ sessionId, tenant: caller.tenant });
  const call = { method: 'GET', path: '/v1/languages', schema: agentLanguagesSchema } as const;
  const { languages } = await deps.agents.call(route, call).catch((error) => {
    throw agentProblem(deps, { sessionId, error });
  });
  return { languages: [...new Set(languages)].map(describeLanguage) };
}
