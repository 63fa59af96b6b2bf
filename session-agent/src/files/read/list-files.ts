import { isUtf8 } from 'node:buffer';
import { type FileEntry, type FileList, fileEntriesMax, Problem } from '@holdfast/specs/public';
import { fileProblem } from '../paths/file-problem.ts';
import type { Workspace } from '../paths/open-workspace.ts';
import { resolvePath } from '../paths/resolve-path.ts';
import { openDirectoryEntry } from './open-file.ts';
import { type WalkedEntry, walkTree } from './walk-tree.ts';

/** The end of the year 9999, the last that RFC 3339 can write. */
const timeMsMax = 253_402_300_799_999;

/** The limit for all paths together, as code may give its files very long ones. */
const pathBytesMax = 2 * 1024 * 1024;

/**
 * Lists the entries below a directory. An entry whose name is not UTF-8 is shown with U+FFFD, as `other`.
 * @throws Problem `not-found`, `outside-workspace`, `path-conflict`, `invalid-request` (a file)
 */
export function listFiles(workspace: Workspace, { path, depth }: { path: string; depth: number }): FileList {
  using resolved = resolvePath(workspace, path, { follow: true });
  if (!resolved.entry) throw new Problem('not-found', { detail: 'this directory does not exist' });
  if (!resolved.entry.stats.isDirectory()) {
    const detail = 'it is not a directory';
    throw new Problem('invalid-request', { detail, errors: [{ pointer: 'query/path', detail }] });
  }
  using directory = openDirectoryEntry(resolved.entry);
  const prefix = path === '' ? '' : `${path}/`;
  const items: FileEntry[] = [];
  let pathBytesLeft = pathBytesMax;
  try {
    const walk = walkTree(directory.descriptor, { depthMax: depth, entriesMax: fileEntriesMax });
    for (let step = walk.next(); ; step = walk.next()) {
      if (step.done) return { items: items.sort(byPath), truncated: step.value };
      const { path: below, stats } = step.value;
      pathBytesLeft -= prefix.length + below.length;
      if (pathBytesLeft < 0) return { items: items.sort(byPath), truncated: true };
      items.push(entryFrom({ path: Buffer.concat([Buffer.from(prefix), Buffer.from(below, 'latin1')]), stats }));
    }
  } catch (error) {
    throw fileProblem(error);
  }
}

/** The entry of a path in bytes. */
export function entryFrom({ path, stats }: { path: Buffer; stats: WalkedEntry['stats'] }): FileEntry {
  const kind = isUtf8(path) ? kindOf(stats) : 'other';
  return {
    path: path.toString().slice(0, 8192),
    kind,
    size: kind === 'file' ? Number(stats.size) : 0,
    modifiedAt: timeOf(stats.mtimeMs),
  };
}

/** Code may give its files any time; one that no date can have becomes the nearest. */
export const timeOf = (ms: bigint): string => new Date(Math.min(timeMsMax, Math.max(0, Number(ms)))).toISOString();

function kindOf(stats: WalkedEntry['stats']): FileEntry['kind'] {
  if (stats.isFile()) return 'file';
  if (stats.isDirectory()) return 'directory';
  return stats.isSymbolicLink() ? 'link' : 'other';
}

const byPath = (one: FileEntry, other: FileEntry) => (one.path < other.path ? -1 : one.path > other.path ? 1 : 0);
