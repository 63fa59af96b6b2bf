import { agentProblem } from './agent-problem.ts';
import type { Routes } from './sandbox-routes.ts';

export type AnswerDependencies = { routes: Pick<Routes, 'refresh'>; hint(sessionId: string): void };

type Failed = { key: { sessionId: string; tenant: string }; error: unknown };

/**
 * What a caller is told where the agent of a session failed; another error as it is. The session may have left this sandbox without this
 * replica's knowledge: then what the registry says goes before it, and is thrown.
 */
export async function problemFromAgent(deps: AnswerDependencies, { key, error }: Failed): Promise<unknown> {
  const problem = agentProblem(deps, { sessionId: key.sessionId, error });
  if (problem !== error) await deps.routes.refresh(key);
  return problem;
}
