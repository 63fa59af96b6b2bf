import { fileListSchema } from '@holdfast/specs/public';
import type { AgentClient } from '../agent/agent-client.ts';
import { AgentError } from '../agent/agent-error.ts';
import type { Route } from '../sessions/sandbox-routes.ts';

type ConfirmDependencies = { agents: Pick<AgentClient, 'call'> };
type ConfirmInput = { route: Route; paths: readonly string[]; signal: AbortSignal };

/**
 * Asks the agent at which of the paths the workspace has no file now.
 * @throws AgentError if the agent does not answer
 */
export async function confirmDeleted(
  { agents }: ConfirmDependencies,
  { route, paths, signal }: ConfirmInput,
): Promise<string[]> {
  const gone: string[] = [];
  for (const path of paths) {
    const target = `/v1/files/list?path=${encodeURIComponent(path)}`;
    const call = { method: 'GET', path: target, schema: fileListSchema, signal } as const;
    const isFile = await agents
      .call(route, call)
      .then(({ items }) => items.some((item) => item.path === path && item.kind === 'file'), unlessRefused);
    if (!isFile) gone.push(path);
  }
  return gone;
}

/** A path that leads nowhere, through a file or out of the workspace, is refused. */
function unlessRefused(error: unknown): false {
  if (error instanceof AgentError && error.kind === 'refused') return false;
  throw error;
}
