import type { MoveFile } from '@holdfast/specs/public';
import type { Database } from '../registry/connect.ts';
import { moveWorldFiles } from '../registry/world-files/move-world-files.ts';
import { type AskDependencies, askAgent } from '../sessions/ask-agent.ts';
import type { Caller } from '../sessions/caller.ts';
import type { KeyedLocks } from '../timing/keyed-locks.ts';

/**
 * Moves a file or directory in the working copy and the world.
 * @throws Problem 403, 404, 409, 410, 502, 503, 507
 */
export async function moveFile(
  deps: AskDependencies & { db: Database; sessionLocks: KeyedLocks },
  { caller, sessionId, move }: { caller: Caller; sessionId: string; move: MoveFile },
): Promise<void> {
  await deps.sessionLocks.run(sessionId, async () => {
    await askAgent(deps, { caller, sessionId, call: { method: 'POST', path: '/v1/files/move', body: move } });
    await moveWorldFiles(deps.db, { sessionId, from: move.from, to: move.to });
  });
}
