import { directoriesOf } from '../../registry/world-files/directories-of.ts';
import type { WorldFile } from '../../registry/world-files/list-world-files.ts';
import { treeOf } from '../../registry/world-files/record-changes.ts';
import { isSameFile } from './same-file.ts';
import type { WorldRule, WorldRules } from './world-rules.ts';

/** The files, links and directories that a working copy is expected to have, hidden ones included. */
export type Tree = { files: ReadonlyMap<string, WorldFile>; directories: ReadonlySet<string> };

/** How a working copy differs from a tree. */
export type Difference = {
  put: readonly WorldFile[];
  /** Files whose contents are not stored, special files, and links that a world cannot keep. */
  unstored: readonly string[];
  remove: readonly string[];
  directories: { put: readonly string[]; remove: readonly string[] };
};

type Allowed = { put: WorldFile[]; remove: string[]; directories: { put: string[]; remove: string[] } };

/**
 * Separates the changes that the rules forbid. The allowed part is complete by itself: a file that takes the place of others removes them by
 * name, and makes its directories by name; one that would remove a file which may not be removed is forbidden as well. `refused` has the
 * paths of files and directories that are to be put back. Files that are there already are left out. Pure.
 */
export function separateForbidden(
  difference: Difference,
  { expected, rules }: { expected: Tree; rules: WorldRules },
): { allowed: Allowed; refused: Map<string, WorldRule> } {
  const refused = new Map<string, WorldRule>();
  const removed = new Set<string>();
  /** Removes the files in whose place something comes, or returns the rule that forbids it. */
  const replace = (others: readonly string[]): WorldRule | null => {
    const left = others.filter((other) => !removed.has(other));
    const rule = left.map((other) => rules.forbids(other)).find((found) => found !== null) ?? null;
    if (!rule) for (const other of left) removed.add(other);
    return rule;
  };
  for (const path of difference.remove) {
    // Code can neither see nor delete a file that is hidden from it.
    if (!expected.files.has(path) || rules.hides(path)) continue;
    const rule = rules.forbids(path);
    if (rule) refused.set(path, rule);
    else removed.add(path);
  }
  const files = treeOf(difference.put);
  const around = filesAround(expected, [...files.map(({ path }) => path), ...difference.unstored]);
  for (const path of difference.unstored) {
    const rule = rules.forbids(path) ?? replace(around(path));
    if (rule) refused.set(path, rule);
  }
  const put = files.filter((file) => {
    const { path } = file;
    const known = expected.files.get(path);
    if (known && isSameFile(known, file) && !rules.hides(path)) return false;
    const rule = rules.forbids(path) ?? replace(around(path));
    if (rule) refused.set(path, rule);
    return rule === null;
  });
  for (const { path } of put) removed.delete(path);

  const needed = new Set(put.flatMap(({ path }) => directoriesOf(path)));
  const made = new Set([...needed].filter((path) => !expected.directories.has(path)));
  for (const path of difference.directories.put) {
    if (expected.directories.has(path) || needed.has(path)) continue;
    const parents = directoriesOf(path);
    const inPlace = [path, ...parents].filter((other) => expected.files.has(other));
    const rule = rules.forbidsDirectory(path) ?? replace(inPlace);
    if (rule) refused.set(path, rule);
    else for (const one of [path, ...parents]) if (!expected.directories.has(one)) made.add(one);
  }
  const stays = new Set([...expected.files.keys()].filter((path) => !removed.has(path)).flatMap(directoriesOf));
  const gone = difference.directories.remove.filter((path) => {
    if (!expected.directories.has(path) || needed.has(path) || rules.hidesDirectory(path)) return false;
    const rule = rules.forbidsDirectory(path);
    if (rule) refused.set(path, rule);
    return rule === null && !stays.has(path);
  });
  return {
    allowed: { put, remove: [...removed].sort(), directories: { put: [...made].sort(), remove: gone } },
    refused,
  };
}

/** Finds, for each of the paths, the files of a tree that cannot be there together with a file at the path. */
function filesAround({ files }: Tree, paths: readonly string[]): (path: string) => string[] {
  const below = new Map(paths.map((path) => [path, [] as string[]]));
  for (const path of files.keys()) for (const directory of directoriesOf(path)) below.get(directory)?.push(path);
  return (path) => [...directoriesOf(path).filter((directory) => files.has(directory)), ...(below.get(path) ?? [])];
}
