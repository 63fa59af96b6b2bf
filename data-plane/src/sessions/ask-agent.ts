import type { AgentCall, AgentClient } from '../agent/agent-client.ts';
import { agentProblem } from './agent-problem.ts';
import type { Caller } from './caller.ts';
import type { Routes } from './routes.ts';

export type AskDependencies = {
  agents: Pick<AgentClient, 'call'>;
  routes: Pick<Routes, 'resolve' | 'refresh'>;
  hint(sessionId: string): void;
};

type Question<Answer> = { caller: Caller; sessionId: string; call: AgentCall<Answer> };

/** One call to the agent of a session. Throws Problem: what the agent refuses and is the caller's business, else 404, 410, 502, 503. */
export async function askAgent<Answer = void>(
  deps: AskDependencies,
  { caller, sessionId, call }: Question<Answer>,
): Promise<Answer> {
  const key = { sessionId, tenant: caller.tenant };
  const route = await deps.routes.resolve(key);
  try {
    return await deps.agents.call(route, call);
  } catch (error) {
    const problem = agentProblem(deps, { sessionId, error });
    // The session may have left this sandbox without this replica's knowledge; the registry knows.
    if (problem !== error) await deps.routes.refresh(key);
    throw problem;
  }
}
