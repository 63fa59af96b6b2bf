import type { AgentCall, AgentClient } from '../agent/agent-client.ts';
import { explainFailedCall } from './agent-problem.ts';
import type { Caller } from './caller.ts';
import type { Routes } from './sandbox-routes.ts';

export type AskDependencies = {
  agents: Pick<AgentClient, 'call'>;
  routes: Pick<Routes, 'resolve' | 'refresh'>;
  hint(sessionId: string): void;
};

type Question<Answer> = { caller: Caller; sessionId: string; call: AgentCall<Answer> };

/**
 * Calls the agent of a session.
 * @throws Problem 404, 410, 502 or 503, or the agent's refusal if that is the caller's business
 */
export async function askAgent<Answer = void>(
  deps: AskDependencies,
  { caller, sessionId, call }: Question<Answer>,
): Promise<Answer> {
  const key = { sessionId, tenant: caller.tenant };
  const route = await deps.routes.resolve(key);
  try {
    return await deps.agents.call(route, call);
  } catch (error) {
    throw await explainFailedCall(deps, { key, error });
  }
}
