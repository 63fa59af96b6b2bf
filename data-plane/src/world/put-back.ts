import { restoreHeader } from '@holdfast/specs/agent';
import type { AgentTarget } from '../agent/agent-client.ts';
import { AgentError } from '../agent/agent-error.ts';
import type { Tree } from '../policy/files/separate-forbidden.ts';
import { type WriteDependencies, writeStoredFile } from '../policy/files/write-stored-file.ts';
import { directoriesOf } from '../registry/world-files/directories-of.ts';
import type { WorldFile } from '../registry/world-files/list-world-files.ts';
import { severalAtOnce } from '../timing/several-at-once.ts';

export type PutBackDependencies = WriteDependencies;

/** The wanted state of a path. */
type Wanted = { path: string } & ({ is: 'file'; file: WorldFile } | { is: 'directory' } | { is: 'absent' });

/**
 * The states that the paths have in a tree, and those of all directories above them: code may have put a link there, through which a path below
 * it would lead elsewhere. Pure.
 */
export function wantedAt(paths: Iterable<string>, { files, directories }: Tree): Wanted[] {
  const all = new Set([...paths].flatMap((path) => [...directoriesOf(path), path]));
  return [...all].map((path): Wanted => {
    const file = files.get(path);
    if (file) return { path, is: 'file', file };
    return { path, is: directories.has(path) ? 'directory' : 'absent' };
  });
}

type PutBack = { route: AgentTarget; wanted: readonly Wanted[]; signal: AbortSignal };

const atOnce = 4;

/**
 * Gives each of the paths of a working copy the state that it is to have, no matter what code has put there. Things in the way go first: links from the top
 * down, since they could lead elsewhere, and then the rest from the bottom up. A file that is put back is a new one, to which no open descriptor,
 * memory map or hard link of the code leads, and its mode is exactly what it was.
 * @throws AgentError, or Error if a content is gone or was not written
 */
export async function putBack(deps: PutBackDependencies, { route, wanted, signal }: PutBack): Promise<void> {
  const call = { route, signal };
  const sorted = wanted.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  for (const { path, is } of sorted) if (is !== 'file') await remove(deps, call, { path, recursive: false });
  for (const { path, is } of sorted.toReversed())
    if (is !== 'directory') await remove(deps, call, { path, recursive: is === 'file' });
  for (const { path, is } of sorted) if (is === 'directory') await makeDirectory(deps, call, path);
  const files = sorted.flatMap((one) => (one.is === 'file' ? [one.file] : []));
  await severalAtOnce({ items: files, atOnce }, (file) => writeStoredFile(deps, call, file));
}

type Call = Pick<PutBack, 'route' | 'signal'>;

/** Without `recursive`, a directory in which there is something stays. */
async function remove(
  { agents }: PutBackDependencies,
  { route, signal }: Call,
  { path, recursive }: { path: string; recursive: boolean },
): Promise<void> {
  signal.throwIfAborted();
  const target = `/v1/files?path=${encodeURIComponent(path)}&recursive=${recursive}`;
  try {
    await agents.call(route, { method: 'DELETE', path: target, headers: { [restoreHeader]: 'absent' }, signal });
  } catch (error) {
    if (!(error instanceof AgentError) || error.kind !== 'refused') throw error;
  }
}

async function makeDirectory({ agents }: PutBackDependencies, { route, signal }: Call, path: string): Promise<void> {
  const headers = { [restoreHeader]: 'directory' };
  await agents.call(route, { method: 'POST', path: '/v1/directories', headers, body: { path }, signal });
}
