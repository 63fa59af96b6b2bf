import type { AgentClient } from '../agent/agent-client.ts';
import { AgentError } from '../agent/agent-error.ts';
import type { Route } from '../sessions/sandbox-routes.ts';

/**
 * Asks the agent which of the paths do not exist in the workspace now. If the agent stops answering, the rest counts as existing.
 * Never throws.
 */
export async function confirmDeleted(
  { agents }: { agents: Pick<AgentClient, 'call'> },
  { route, paths }: { route: Route; paths: readonly string[] },
): Promise<string[]> {
  const gone: string[] = [];
  for (const path of paths) {
    const call = { method: 'GET', path: `/v1/files/list?path=${encodeURIComponent(path)}` } as const;
    const refusal = await agents.call(route, call).then(
      () => 'path-conflict',
      (error) => (error instanceof AgentError && error.kind === 'refused' ? error.slug : null),
    );
    if (refusal === null) break;
    if (refusal === 'not-found') gone.push(path);
  }
  return gone;
}
