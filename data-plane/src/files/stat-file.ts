import { type FileStat, fileStatSchema } from '@holdfast/specs/public';
import { type AskDependencies, askAgent } from '../sessions/ask-agent.ts';
import type { Caller } from '../sessions/caller.ts';

/**
 * Describes one file, directory or link.
 * @throws Problem 403, 404, 409, 410, 502, 503
 */
export async function statFile(
  deps: AskDependencies,
  { caller, sessionId, path }: { caller: Caller; sessionId: string; path: string },
): Promise<FileStat> {
  const target = `/v1/files/stat?path=${encodeURIComponent(path)}`;
  return await askAgent(deps, { caller, sessionId, call: { method: 'GET', path: target, schema: fileStatSchema } });
}
