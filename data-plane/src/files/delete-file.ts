import { Problem } from '@holdfast/specs/public';
import type { Database } from '../registry/connect.ts';
import { removeWorldFiles } from '../registry/world-files/remove-world-files.ts';
import { type AskDependencies, askAgent } from '../sessions/ask-agent.ts';
import type { Caller } from '../sessions/caller.ts';
import type { KeyedLocks } from '../timing/keyed-locks.ts';

type DeleteFileInput = {
  caller: Caller;
  sessionId: string;
  path: string;
  /** Whether a directory is deleted with everything in it. */
  recursive: boolean;
  /** The conditional headers of the client's request. */
  headers: Record<string, string>;
};

/** Long enough for a large directory. */
const timeoutMs = 120_000;

/**
 * Deletes a file or directory from the working copy and the world.
 * @throws Problem 403, 404, 409, 410, 412, 502, 503
 */
export async function deleteFile(
  deps: AskDependencies & { db: Database; sessionLocks: KeyedLocks },
  { caller, sessionId, path, recursive, headers }: DeleteFileInput,
): Promise<void> {
  const target = `/v1/files?path=${encodeURIComponent(path)}&recursive=${recursive}`;
  const call = { method: 'DELETE', path: target, headers, timeoutMs } as const;
  await deps.sessionLocks.run(sessionId, async () => {
    // If the file is missing, an earlier request may have deleted it and lost its answer before it reached the world.
    const missing = await askAgent(deps, { caller, sessionId, call }).then(() => null, missingOrThrow);
    await removeWorldFiles(deps.db, { sessionId, path });
    if (missing) throw missing;
  });
}

function missingOrThrow(error: unknown): Problem {
  if (error instanceof Problem && error.slug === 'not-found' && isAgents(error)) return error;
  throw error;
}

/** Whether the agent did not find the file; otherwise it is the session that was not found. */
const isAgents = ({ options: { cause } }: Problem) => cause !== undefined;
