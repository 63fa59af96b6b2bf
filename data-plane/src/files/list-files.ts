import { type FileList, fileListSchema } from '@holdfast/specs/public';
import { type AskDependencies, askAgent } from '../sessions/ask-agent.ts';
import type { Caller } from '../sessions/caller.ts';

type ListFilesInput = { caller: Caller; sessionId: string; path: string; depth: number };

/**
 * Lists the files and directories below a directory of the workspace.
 * @throws Problem 403, 404, 409, 410, 502, 503
 */
export async function listFiles(
  deps: AskDependencies,
  { caller, sessionId, path, depth }: ListFilesInput,
): Promise<FileList> {
  const target = `/v1/files/list?path=${encodeURIComponent(path)}&depth=${depth}`;
  return await askAgent(deps, { caller, sessionId, call: { method: 'GET', path: target, schema: fileListSchema } });
}
