import type { AgentClient } from '../../agent/agent-client.ts';
import { agentPolicy } from '../../policy/rules/agent-policy.ts';
import type { Route } from '../sandbox-routes.ts';

export type TellDependencies = { agents: Pick<AgentClient, 'call'> };

/**
 * Resolves when the agent of a sandbox follows the policy that the route has: no step that was decided by an earlier one starts from then on,
 * whichever replica sends it. May be repeated.
 * @throws AgentError
 */
export async function tellPolicy({ agents }: TellDependencies, route: Route): Promise<void> {
  await agents.call(route, { method: 'PUT', path: '/v1/policy', body: agentPolicy(route) });
}
