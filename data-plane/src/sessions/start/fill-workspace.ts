import { writtenFileSchema } from '@holdfast/specs/public';
import { type AgentClient, type AgentTarget, transferTimeoutMs } from '../../agent/agent-client.ts';
import type { Contents } from '../../contents/contents.ts';
import type { Logger } from '../../observability/logger.ts';
import type { Database } from '../../registry/connect.ts';
import { findUnsettledSince } from '../../registry/world-files/list-unsettled-worlds.ts';
import { listWorldFiles } from '../../registry/world-files/list-world-files.ts';

export type FillDependencies = {
  db: Database;
  agents: Pick<AgentClient, 'call'>;
  contents: Pick<Contents, 'open'>;
  log: Pick<Logger, 'warn'>;
};

type Fill = { route: AgentTarget; signal: AbortSignal };
type WorldFile = Awaited<ReturnType<typeof listWorldFiles>>[number];

const atOnce = 4;

/**
 * Writes the session's world into a sandbox that is new to the session. If the world is marked, the working copy that could tell what it
 * lacks is gone, which is logged.
 * @throws Error that names the file that could not be written
 */
export async function fillWorkspace(deps: FillDependencies, { route, signal }: Fill): Promise<void> {
  const { sessionId } = route;
  const unsettledSince = await findUnsettledSince(deps.db, { sessionId });
  if (unsettledSince)
    deps.log.warn({ sessionId, unsettledSince }, 'the world may lack the last changes of a sandbox that is gone');
  const files = (await listWorldFiles(deps.db, { sessionId })).values();
  // If one write fails, the others stop.
  const stop = new AbortController();
  const fill: Fill = { route, signal: AbortSignal.any([signal, stop.signal]) };
  const write = async () => {
    for (const file of files) await writeWorldFile(deps, fill, file);
  };
  const writes = Array.from({ length: atOnce }, write);
  try {
    await Promise.all(writes);
  } catch (error) {
    stop.abort(error);
    await Promise.allSettled(writes);
    throw error;
  }
}

async function writeWorldFile(
  { agents, contents }: FillDependencies,
  { route, signal }: Fill,
  { path, sha256, size }: WorldFile,
): Promise<void> {
  try {
    signal.throwIfAborted();
    const content = await contents.open(sha256);
    if (!content) throw new Error('its content is gone');
    const written = await agents.call(route, {
      method: 'PUT',
      path: `/v1/files?path=${encodeURIComponent(path)}`,
      upload: content.read(),
      schema: writtenFileSchema,
      signal,
      timeoutMs: transferTimeoutMs,
      withSteps: true,
    });
    if (written.sha256 !== sha256 || written.size !== size) throw new Error('the agent wrote other bytes');
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`the file ${JSON.stringify(path)} of the world could not be written: ${reason}`, { cause });
  }
}
