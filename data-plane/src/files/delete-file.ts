import { isOutside } from '@holdfast/specs/public';
import type { AgentClient } from '../agent/agent-client.ts';
import { AgentError } from '../agent/agent-error.ts';
import { entryOf } from '../policy/audit/asked-by.ts';
import type { Database } from '../registry/connect.ts';
import { directoriesOf } from '../registry/world-files/directories-of.ts';
import { markIfLinked } from '../registry/world-files/mark-if-linked.ts';
import { removeWorldFiles } from '../registry/world-files/remove-world-files.ts';
import { type ExplainDependencies, explainFailedCall } from '../sessions/agent-problem.ts';
import type { Caller } from '../sessions/caller.ts';
import type { Routes } from '../sessions/sandbox-routes.ts';
import type { Worlds } from '../world/create-worlds.ts';
import { recordChange } from '../world/record-change.ts';
import { refuseProposed } from '../world/refuse-host-change.ts';
import { changeOutside } from './change-outside.ts';

/** For a change that is sent without a body. */
export type ChangeDependencies = ExplainDependencies & {
  agents: Pick<AgentClient, 'call'>;
  routes: Pick<Routes, 'resolve' | 'refresh'>;
  db: Database;
  worlds: Pick<Worlds, 'write'>;
};

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
 * Deletes a file or directory from the working copy and the world, or from the sandbox alone if it is outside the workspace.
 * @throws Problem 403, 404, 409, 410, 412, 502, 503
 */
export async function deleteFile(
  deps: ChangeDependencies,
  { caller, sessionId, path, recursive, headers }: DeleteFileInput,
): Promise<void> {
  const target = `/v1/files?path=${encodeURIComponent(path)}&recursive=${recursive}`;
  const call = { method: 'DELETE' as const, path: target, headers, timeoutMs };
  if (isOutside(path)) {
    return await changeOutside(deps, { caller, sessionId, audited: { operation: 'file.delete', path }, call });
  }
  const key = { sessionId, tenant: caller.tenant };
  const route = await deps.routes.resolve(key);
  const send = () => deps.agents.call(route, call);
  try {
    await deps.worlds.write({ sessionId, route }, async ({ claim, touch }) => {
      await refuseProposed(deps.db, claim, [path]);
      // If the file is missing, the world may still have it: code may have deleted it just now.
      const missing = await touch(send, { leavesAll: () => !recursive }).then(() => null, missingOrThrow);
      const entry = entryOf(caller, sessionId, { operation: 'world.delete', path });
      // If there was nothing in either, nothing was done.
      await recordChange(deps.db, entry, async (tx) => {
        const marked = await markIfLinked(tx, { claim, paths: directoriesOf(path) });
        const removed = await removeWorldFiles(tx, { claim: marked, path });
        return removed === 'nothing' && missing ? 'nothing' : removed !== null;
      });
      if (missing) throw missing;
    });
  } catch (error) {
    throw await explainFailedCall(deps, { key, error });
  }
}

function missingOrThrow(error: unknown): AgentError {
  if (error instanceof AgentError && error.slug === 'not-found') return error;
  throw error;
}
