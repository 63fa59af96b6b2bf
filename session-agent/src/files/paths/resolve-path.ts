import { isUtf8 } from 'node:buffer';
import { closeSync, mkdirSync, readlinkSync } from 'node:fs';
import { isOutside, Problem, pathNamesMax, uploadPrefix } from '@holdfast/specs/public';
import { type EntryHandle, makeUsable, openEntryHandle, pathIn } from './entry-handle.ts';
import { fileProblem, isMissing, systemCode } from './file-problem.ts';
import type { Root, Workspace } from './open-workspace.ts';

/** The limit of Linux (path_resolution(7)). */
const linksMax = 40;

/** The end of a resolved path: a name in a directory. Its descriptors stay open until it is disposed of. */
export type ResolvedPath = {
  /** A descriptor of the deepest existing directory on the path. */
  directory: number;
  /** The names of directories between it and `name` that do not exist. */
  missing: readonly string[];
  /** The last name of the path; empty for the workspace or another root itself. */
  name: string;
  /** The entry with this name; null if there is none. */
  entry: EntryHandle | null;
  [Symbol.dispose]: () => void;
};

type Options = {
  /** Whether a link at the end of the path is followed, too. */
  follow: boolean;
  /** Whether missing directories on the path are created. */
  create?: boolean;
  /** For restoring a state of the world: no link on the path is followed, and each directory on it becomes one that its owner can use. */
  exact?: boolean;
  /** Whether a link on the path is refused, and not followed. */
  isLinkless?: boolean;
};

/**
 * Walks a path (in the form of `sandboxPath`) through the workspace, or through the root outside it that the path begins with. Each name is
 * looked up relative to a descriptor of the directory before it, so code that changes the tree at the same time cannot lead the walk
 * out of that root. Follows links that stay inside it. Synchronous, so no other work of the agent runs in between.
 *
 * @throws Problem `outside-workspace`, `path-conflict` (a file on the path, too many links, with `exact` and `isLinkless` any link), `not-found` (a name that cannot exist)
 */
export function resolvePath(workspace: Workspace, path: string, options: Options): ResolvedPath {
  const { root, below } = startOf(workspace, path);
  const walk = { steps: [] as { name: string; entry: EntryHandle }[], rest: below.split('/'), links: 0 };
  const top = () => walk.steps.at(-1)?.entry.descriptor ?? root.descriptor;
  const release = () => {
    for (const { entry } of walk.steps.splice(0)) closeSync(entry.descriptor);
  };
  try {
    if (options.exact) makeUsable(root.descriptor);
    for (let name = walk.rest.shift(); name !== undefined; name = walk.rest.shift()) {
      if (name === '' || name === '.') continue;
      if (name === '..') {
        stepUp(walk.steps);
        continue;
      }
      const isLast = walk.rest.every((further) => further === '' || further === '.');
      const entry = entryOf(top(), name, options.create === true && !isLast);
      if (!entry) return { directory: top(), ...absent(name, walk.rest), entry, [Symbol.dispose]: release };
      if (entry.stats.isSymbolicLink() && (options.follow || !isLast)) {
        closeSync(entry.descriptor);
        if (options.exact || options.isLinkless)
          throw new Problem('path-conflict', { detail: 'a name on the path is a link' });
        if (++walk.links > linksMax) throw new Problem('path-conflict', { detail: 'the path has too many links' });
        const target = targetOf(root, top(), name);
        if (target.isAbsolute) release();
        walk.rest.unshift(...target.names);
        continue;
      }
      walk.steps.push({ name, entry });
      if (root !== workspace && isWorkspace(workspace, entry)) throw inWorkspace();
      if (walk.steps.length > pathNamesMax)
        throw new Problem('path-conflict', { detail: 'the path has too many levels' });
      if (!isLast && !entry.stats.isDirectory()) {
        throw new Problem('path-conflict', { detail: 'a name on the path is a file and not a directory' });
      }
      if (!isLast && options.exact) makeUsable(entry.descriptor);
    }
    const last = walk.steps.at(-1);
    const directory = walk.steps.at(-2)?.entry.descriptor ?? root.descriptor;
    if (last) return { directory, missing: [], name: last.name, entry: last.entry, [Symbol.dispose]: release };
    const entry = openEntryHandle(root.descriptor, '.');
    walk.steps.push({ name: '', entry });
    return { directory, missing: [], name: '', entry, [Symbol.dispose]: release };
  } catch (error) {
    release();
    throw error instanceof Problem ? error : fileProblem(error);
  }
}

/** The root that a path begins with, and the rest of the path. */
function startOf(workspace: Workspace, path: string): { root: Root; below: string } {
  if (!isOutside(path)) return { root: workspace, below: path };
  for (const root of workspace.outside) {
    const known = knownIn(root, path);
    if (known !== undefined) return { root, below: path.slice(known.length) };
  }
  const allowed = workspace.outside.map(({ knownAs: [name = ''] }) => name).join(', ');
  const detail = `the profile of the session allows no files at this path, only in the workspace${allowed && ` and below ${allowed}`}`;
  throw new Problem('outside-workspace', { detail });
}

const knownIn = ({ knownAs }: Root, path: string): string | undefined =>
  knownAs.find((known) => path === known || path.startsWith(`${known}/`));

/** A change there would not reach the world. */
const isWorkspace = ({ identity }: Workspace, { stats }: EntryHandle): boolean =>
  stats.ino === identity.ino && stats.dev === identity.dev;

/** Goes up the way it came, and not by the system's `..`, which would follow a directory that was moved. */
function stepUp(steps: { entry: EntryHandle }[]): void {
  const left = steps.pop();
  if (!left) throw outside();
  closeSync(left.entry.descriptor);
}

function entryOf(directory: number, name: string, create: boolean): EntryHandle | null {
  if (name.startsWith(uploadPrefix)) throw new Problem('not-found', { detail: 'no file can have this name' });
  try {
    return openEntryHandle(directory, name);
  } catch (error) {
    if (!isMissing(error)) throw error;
    if (!create) return null;
    createDirectory(directory, name);
    return openEntryHandle(directory, name);
  }
}

function createDirectory(directory: number, name: string): void {
  try {
    mkdirSync(pathIn(directory, name));
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
  }
}

/** The result for a name without an entry: the last name, and the missing directories before it. */
function absent(name: string, rest: readonly string[]): { missing: string[]; name: string } {
  const names = [name, ...rest.filter((further) => further !== '' && further !== '.')];
  if (names.includes('..'))
    throw new Problem('not-found', { detail: 'a link leads through a directory that does not exist' });
  return { missing: names.slice(0, -1), name: names.at(-1) ?? name };
}

function targetOf(root: Root, directory: number, name: string): { isAbsolute: boolean; names: string[] } {
  const bytes = readlinkSync(pathIn(directory, name), { encoding: 'buffer' });
  if (!isUtf8(bytes)) throw new Problem('not-found', { detail: 'a link leads to a name that is not UTF-8' });
  const target = bytes.toString();
  if (!target.startsWith('/')) return { isAbsolute: false, names: target.split('/') };
  const known = knownIn(root, target);
  if (known === undefined) throw outside();
  return { isAbsolute: true, names: target.slice(known.length).split('/') };
}

const outside = () =>
  new Problem('outside-workspace', { detail: 'a link on the path leads out of the workspace or the root it is in' });

const inWorkspace = () =>
  new Problem('outside-workspace', { detail: 'the path leads into the workspace: use one that is relative to it' });
