import { executableHeader, restoreHeader } from '@holdfast/specs/agent';
import { writtenFileSchema } from '@holdfast/specs/public';
import { type AgentClient, type AgentTarget, transferTimeoutMs } from '../../agent/agent-client.ts';
import type { Contents } from '../../contents/contents.ts';
import type { WorldFile } from '../../registry/world-files/list-world-files.ts';

export type WriteDependencies = { agents: Pick<AgentClient, 'call'>; contents: Pick<Contents, 'open'> };

/**
 * Writes a file or a link of the world into a working copy. The target of a link is only text here.
 * @throws AgentError, or Error if its content is gone or other bytes were written
 */
export async function writeStoredFile(
  { agents, contents }: WriteDependencies,
  { route, signal }: { route: AgentTarget; signal: AbortSignal },
  { path, sha256, size, executable, mode, target }: WorldFile,
): Promise<void> {
  const content = await contents.open(sha256);
  if (!content) throw new Error(`the content of ${JSON.stringify(path)} is gone`);
  const written = await agents.call(route, {
    method: 'PUT',
    path: `/v1/files?path=${encodeURIComponent(path)}`,
    headers: {
      [restoreHeader]: target ? 'link' : (mode ?? 'file'),
      ...(executable && { [executableHeader]: 'true' }),
    },
    upload: content.read(),
    schema: writtenFileSchema,
    signal,
    timeoutMs: transferTimeoutMs,
    withSteps: true,
  });
  if (written.sha256 !== sha256 || written.size !== size) throw new Error('the agent wrote other bytes');
}
