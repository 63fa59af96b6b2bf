import type { AgentCall, AgentClient } from '../agent/agent-client.ts';
import type { Caller } from './caller.ts';
import { problemFromAgent } from './problem-from-agent.ts';
import type { Routes } from './sandbox-routes.ts';

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
    throw await problemFromAgent(deps, { key, error });
  }
}
