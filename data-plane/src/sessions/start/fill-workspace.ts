import type { AgentClient, AgentTarget } from '../../agent/agent-client.ts';
import type { Contents } from '../../contents/contents.ts';
import type { Logger } from '../../observability/logger.ts';
import { fillingRules, readExpected } from '../../policy/files/read-expected.ts';
import { writeStoredFile } from '../../policy/files/write-stored-file.ts';
import type { Database } from '../../registry/connect.ts';
import { emptyDirectories } from '../../registry/world-files/directories-of.ts';
import { findUnsettledSince } from '../../registry/world-files/list-unsettled-worlds.ts';
import type { WorldFile } from '../../registry/world-files/list-world-files.ts';
import { noteFilled, readPatternsOf } from '../../registry/world-files/note-filled.ts';

export type FillDependencies = {
  db: Database;
  agents: Pick<AgentClient, 'call'>;
  contents: Pick<Contents, 'open'>;
  log: Pick<Logger, 'warn'>;
};

type Fill = { route: AgentTarget; signal: AbortSignal };

const atOnce = 4;

/**
 * Writes the session's world into a sandbox that is new to the session, with the open changes of its proposals and without what its policy hides. If the world is marked, the working copy that could tell what it
 * lacks is gone, which is logged.
 * @throws Error that names the file or directory that could not be written
 */
export async function fillWorkspace(deps: FillDependencies, { route, signal }: Fill): Promise<void> {
  const { sessionId } = route;
  const unsettledSince = await findUnsettledSince(deps.db, { sessionId });
  if (unsettledSince)
    deps.log.warn({ sessionId, unsettledSince }, 'the world may lack the last changes of a sandbox that is gone');
  const readPatterns = await readPatternsOf(deps.db, { sessionId });
  const { visible } = await readExpected(deps.db, { sessionId, rules: fillingRules(readPatterns) });
  const files = [...visible.files.values()];
  const directories = emptyDirectories({ files, directories: [...visible.directories] });
  await eachOf(directories, { signal }, (path, until) => makeWorldDirectory(deps, { route, signal: until }, path));
  await eachOf(files, { signal }, (file, until) => writeWorldFile(deps, { route, signal: until }, file));
  await noteFilled(deps.db, { sessionId, patterns: readPatterns });
}

/** Writes items, some at once. If one write fails, the others stop. */
async function eachOf<Item>(
  items: readonly Item[],
  { signal }: { signal: AbortSignal },
  write: (item: Item, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const queue = items.values();
  const stop = new AbortController();
  const until = AbortSignal.any([signal, stop.signal]);
  const writeSome = async () => {
    for (const item of queue) await write(item, until);
  };
  const writes = Array.from({ length: atOnce }, writeSome);
  try {
    await Promise.all(writes);
  } catch (error) {
    stop.abort(error);
    await Promise.allSettled(writes);
    throw error;
  }
}

async function makeWorldDirectory({ agents }: FillDependencies, { route, signal }: Fill, path: string): Promise<void> {
  try {
    signal.throwIfAborted();
    await agents.call(route, { method: 'POST', path: '/v1/directories', body: { path }, signal, withSteps: true });
  } catch (cause) {
    throw new Error(notWritten('directory', path, cause), { cause });
  }
}

async function writeWorldFile(deps: FillDependencies, { route, signal }: Fill, file: WorldFile): Promise<void> {
  try {
    signal.throwIfAborted();
    await writeStoredFile(deps, { route, signal }, file);
  } catch (cause) {
    throw new Error(notWritten('file', file.path, cause), { cause });
  }
}

function notWritten(kind: 'file' | 'directory', path: string, cause: unknown): string {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return `the ${kind} ${JSON.stringify(path)} of the world could not be written: ${reason}`;
}
