import type { MoveFile } from '@holdfast/specs';
import type { Database } from '../../registry/connect.ts';
import { moveWorldFiles } from '../../registry/move-world-files.ts';
import { type AskDependencies, askAgent } from '../ask-agent.ts';
import type { Caller } from '../caller.ts';
import type { SessionTurns } from '../session-turns.ts';

/** Moves a file or directory in the working copy and the world. Throws Problem 403, 404, 409, 410, 502, 503, 507. */
export async function moveFile(
  deps: AskDependencies & { db: Database; turns: SessionTurns },
  { caller, sessionId, move }: { caller: Caller; sessionId: string; move: MoveFile },
): Promise<void> {
  await deps.turns.run(sessionId, async () => {
    await askAgent(deps, { caller, sessionId, call: { method: 'POST', path: '/v1/files/move', body: move } });
    await moveWorldFiles(deps.db, { sessionId, from: move.from, to: move.to });
  });
}
