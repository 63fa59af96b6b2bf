import { isUtf8 } from 'node:buffer';
import { closeSync, mkdirSync, readlinkSync } from 'node:fs';
import { Problem, pathNamesMax, uploadPrefix } from '@holdfast/specs/public';
import { type EntryHandle, holdEntry, pathIn } from './entry-handle.ts';
import { fileProblem, isMissing, systemCode } from './file-problem.ts';
import type { Workspace } from './open-workspace.ts';

/** As many as Linux follows (path_resolution(7)). */
const linksMax = 40;

/** Where a path leads: a name in a directory that is held until the place is disposed of. */
export type ResolvedPath = {
  /** Of the deepest directory on the way that exists. */
  directory: number;
  /** Directories between it and the name that do not exist. */
  missing: readonly string[];
  /** Empty for the workspace itself. */
  name: string;
  /** What has the name now; null where nothing has. */
  entry: EntryHandle | null;
  [Symbol.dispose]: () => void;
};

type Options = {
  /** Whether a link at the path's end is followed too. */
  follow: boolean;
  /** Makes the directories on the way that are missing. */
  make?: boolean;
};

/**
 * Walks a path (as `workspacePath` writes it) through the workspace, every name relative to a descriptor of the directory before, so that
 * nothing that changes meanwhile leads out of it. Links are followed as long as they stay inside. Synchronous: nothing of ours comes between.
 *
 * @throws Problem `outside-workspace`, `path-conflict` (a file on the way, too many links), `not-found` (a name that cannot be)
 */
export function resolvePath(workspace: Workspace, path: string, options: Options): ResolvedPath {
  const walk = { held: [] as { name: string; entry: EntryHandle }[], rest: path.split('/'), links: 0 };
  const top = () => walk.held.at(-1)?.entry.descriptor ?? workspace.descriptor;
  const release = () => {
    for (const { entry } of walk.held.splice(0)) closeSync(entry.descriptor);
  };
  try {
    for (let name = walk.rest.shift(); name !== undefined; name = walk.rest.shift()) {
      if (name === '' || name === '.') continue;
      if (name === '..') {
        stepUp(walk.held);
        continue;
      }
      const isLast = walk.rest.every((further) => further === '' || further === '.');
      const entry = entryOf(top(), name, options.make === true && !isLast);
      if (!entry) return { directory: top(), ...absent(name, walk.rest), entry, [Symbol.dispose]: release };
      if (entry.stats.isSymbolicLink() && (options.follow || !isLast)) {
        closeSync(entry.descriptor);
        if (++walk.links > linksMax) throw new Problem('path-conflict', { detail: 'too many links on the way' });
        const target = targetOf(workspace, top(), name);
        if (target.isAbsolute) release();
        walk.rest.unshift(...target.names);
        continue;
      }
      walk.held.push({ name, entry });
      if (walk.held.length > pathNamesMax) throw new Problem('path-conflict', { detail: 'it is nested too deeply' });
      if (!isLast && !entry.stats.isDirectory()) {
        throw new Problem('path-conflict', { detail: 'there is something on the way that is no directory' });
      }
    }
    const last = walk.held.at(-1);
    const directory = walk.held.at(-2)?.entry.descriptor ?? workspace.descriptor;
    if (last) return { directory, missing: [], name: last.name, entry: last.entry, [Symbol.dispose]: release };
    const root = holdEntry(workspace.descriptor, '.');
    walk.held.push({ name: '', entry: root });
    return { directory, missing: [], name: '', entry: root, [Symbol.dispose]: release };
  } catch (error) {
    release();
    throw error instanceof Problem ? error : fileProblem(error);
  }
}

/** Up by what was walked and never by the kernel's `..`, which follows a directory that was moved. */
function stepUp(held: { entry: EntryHandle }[]): void {
  const left = held.pop();
  if (!left) throw outside();
  closeSync(left.entry.descriptor);
}

function entryOf(directory: number, name: string, make: boolean): EntryHandle | null {
  if (name.startsWith(uploadPrefix)) throw new Problem('not-found', { detail: 'no file can have this name' });
  try {
    return holdEntry(directory, name);
  } catch (error) {
    if (!isMissing(error)) throw error;
    if (!make) return null;
    makeDirectory(directory, name);
    return holdEntry(directory, name);
  }
}

function makeDirectory(directory: number, name: string): void {
  try {
    mkdirSync(pathIn(directory, name));
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
  }
}

/** A name that nothing has, with what is to follow it. */
function absent(name: string, rest: readonly string[]): { missing: string[]; name: string } {
  const names = [name, ...rest.filter((further) => further !== '' && further !== '.')];
  if (names.includes('..')) throw new Problem('not-found', { detail: 'a link leads through what does not exist' });
  return { missing: names.slice(0, -1), name: names.at(-1) ?? name };
}

function targetOf(workspace: Workspace, directory: number, name: string): { isAbsolute: boolean; names: string[] } {
  const bytes = readlinkSync(pathIn(directory, name), { encoding: 'buffer' });
  if (!isUtf8(bytes)) throw new Problem('not-found', { detail: 'a link leads to a name that is not UTF-8' });
  const target = bytes.toString();
  if (!target.startsWith('/')) return { isAbsolute: false, names: target.split('/') };
  const root = workspace.knownAs.find((known) => target === known || target.startsWith(`${known}/`));
  if (root === undefined) throw outside();
  return { isAbsolute: true, names: target.slice(root.length).split('/') };
}

const outside = () => new Problem('outside-workspace', { detail: 'a link on the way leads out of the workspace' });
