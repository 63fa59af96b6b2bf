import { type AskDependencies, askAgent } from '../sessions/ask-agent.ts';
import type { Caller } from '../sessions/caller.ts';

type MakeDirectoryInput = { caller: Caller; sessionId: string; path: string };

/**
 * Creates a directory in the working copy, with its parents. The world contains only files, so a new sandbox has only the directories
 * that its files need.
 *
 * @throws Problem 403, 409, 410, 502, 503, 507
 */
export async function makeDirectory(
  deps: AskDependencies,
  { caller, sessionId, path }: MakeDirectoryInput,
): Promise<{ isNew: boolean }> {
  let isNew = false;
  const onHeaders = (_: unknown, status: number) => {
    isNew = status === 201;
  };
  await askAgent(deps, {
    caller,
    sessionId,
    call: { method: 'POST', path: '/v1/directories', body: { path }, onHeaders },
  });
  return { isNew };
}
