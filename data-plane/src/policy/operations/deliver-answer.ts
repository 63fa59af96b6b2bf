import type { OperationAnswer } from '@holdfast/specs/agent';
import type { AgentClient } from '../../agent/agent-client.ts';
import { AgentError } from '../../agent/agent-error.ts';
import type { Route } from '../../sessions/sandbox-routes.ts';

export type DeliverDependencies = { agents: Pick<AgentClient, 'call'> };

type Delivery = { stepId: string; call: number; answer: OperationAnswer };

/**
 * Gives a waiting call its answer. Repeating it has no effect.
 * @returns whether the agent has it, or will never want it
 */
export async function deliverAnswer(
  { agents }: DeliverDependencies,
  route: Route,
  { stepId, call, answer }: Delivery,
): Promise<boolean> {
  try {
    await agents.call(route, { method: 'POST', path: `/v1/steps/${stepId}/operations/${call}`, body: answer });
    return true;
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    return error.kind === 'refused';
  }
}

/** The error that the code gets. */
export const failure = (name: string, message: string): OperationAnswer => ({ error: { name, message } });
