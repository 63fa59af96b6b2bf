import { Problem } from '@holdfast/specs/public';
import { isSameFile } from '../../policy/files/same-file.ts';
import type { Tree } from '../../policy/files/separate-forbidden.ts';
import type { OpenChange } from '../../registry/proposals/find-proposals.ts';
import { directoriesOf } from '../../registry/world-files/directories-of.ts';
import type { NewWorldFile } from '../../registry/world-files/record-changes.ts';
import { earlierRelated } from './related-changes.ts';

type Commit = { put: NewWorldFile[]; remove: string[]; directories: { put: string[]; remove: string[] } };

/**
 * The effect of open changes of one proposal on the world.
 * @throws Problem `proposal-conflict` if an earlier proposal must be decided first, if the world is not what the changes begin with, or if
 * they do not make a tree without the other changes of the proposal
 */
export function planCommit(
  selected: readonly OpenChange[],
  { open, world }: { open: readonly OpenChange[]; world: Tree },
): Commit {
  const related = earlierRelated(selected, open);
  if (related) {
    const { change, earlier } = related;
    const detail = `${earlier.proposalId} changes ${quoted(earlier.path)} and was made before the change of ${quoted(change.path)}; commit or reject it first`;
    throw new Problem('proposal-conflict', { detail });
  }
  const commit: Commit = { put: [], remove: [], directories: { put: [], remove: [] } };
  for (const { path, kind, change, before, after } of selected) {
    // It stays in the working copy alone.
    if (kind === 'special') continue;
    if (kind === 'directory') commit.directories[change === 'deleted' ? 'remove' : 'put'].push(path);
    else {
      const now = world.files.get(path);
      if (now && before ? !isSameFile(now, before) : now || before) throw moved(path);
      if (after) commit.put.push({ path, ...after });
      else commit.remove.push(path);
    }
  }
  refuseUnlessTree(commit, world);
  const removed = new Set(commit.remove);
  const left = [...[...world.files.keys()].filter((path) => !removed.has(path)), ...commit.put.map(({ path }) => path)];
  const full = new Set(left.flatMap(directoriesOf));
  return {
    ...commit,
    directories: { ...commit.directories, remove: commit.directories.remove.filter((path) => !full.has(path)) },
  };
}

/** @throws Problem if a file would take the place of a directory with files in it, or a directory that of a file */
function refuseUnlessTree({ put, remove, directories }: Commit, world: Tree): void {
  const removed = new Set(remove);
  const stays = (path: string) => world.files.has(path) && !removed.has(path);
  const files = new Set(put.map(({ path }) => path));
  const inTheWay =
    [...files].flatMap(directoriesOf).find(stays) ??
    directories.put.flatMap((path) => [path, ...directoriesOf(path)]).find(stays) ??
    [...world.files.keys()].find(
      (path) => stays(path) && directoriesOf(path).some((directory) => files.has(directory)),
    );
  if (inTheWay === undefined) return;
  const detail = `${quoted(inTheWay)} is in the way; commit its change as well`;
  throw new Problem('proposal-conflict', { detail });
}

const moved = (path: string) =>
  new Problem('proposal-conflict', {
    detail: `the world has another ${quoted(path)} by now than the proposal begins with`,
  });

const quoted = (path: string) => JSON.stringify(path.length > 200 ? `${path.slice(0, 200)}…` : path);
