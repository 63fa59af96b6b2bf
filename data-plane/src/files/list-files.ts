import { type FileList, fileEntriesMax, fileEntrySchema, fileListSchema } from '@holdfast/specs/public';
import { type AskDependencies, askAgent } from '../sessions/ask-agent.ts';
import type { Caller } from '../sessions/caller.ts';
import { refuseGuest } from './change-outside.ts';

const list = { key: 'items', item: fileEntrySchema, itemsMax: fileEntriesMax };

/** The paths, of which an agent sends 2 MiB at most, may have many characters that JSON escapes. */
const answerBytesMax = 16 * 2 ** 20;

type ListFilesInput = { caller: Caller; sessionId: string; path: string; depth: number };

/**
 * Lists the files and directories below a directory.
 * @throws Problem 400 (a file), 403, 404, 409, 410, 502, 503
 */
export async function listFiles(
  deps: AskDependencies,
  { caller, sessionId, path, depth }: ListFilesInput,
): Promise<FileList> {
  refuseGuest(caller, path);
  const target = `/v1/files/list?path=${encodeURIComponent(path)}&depth=${depth}`;
  const call = { method: 'GET', path: target, schema: fileListSchema, list, answerBytesMax } as const;
  return await askAgent(deps, { caller, sessionId, call });
}
