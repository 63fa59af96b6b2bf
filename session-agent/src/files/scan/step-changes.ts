import { isUtf8 } from 'node:buffer';
import type { Change, DirectoryChange, WorkspaceChanges } from '@holdfast/specs/agent';
import { type Omission, workspacePath } from '@holdfast/specs/public';
import type { Difference } from './compare-scans.ts';
import { isDirectory, isFile, isLink, permissionsIn, sizeIn } from './scan-record.ts';

const changesMax = 10_000;
/** The limit for all paths together, as code may give its files very long paths. */
const pathBytesMax = 4 * 1024 * 1024;
/** The limit for all targets of links together, as JSON, so that a frame has room for them. */
const targetLengthMax = 1024 * 1024;
/** An invalid path is shown up to this length. */
const shownCharactersMax = 1024;

/** `wasDirectory`: there was a directory before, after or in between. */
type StepDifference = Difference & { concurrent: boolean; wasDirectory: boolean };

/** Collects the changes during one step, over any number of scans. */
export class StepChanges {
  #changes = new Map<string, StepDifference>();
  #pathBytes = 0;
  #isCut = false;

  add(differences: readonly Difference[], { concurrent, isCut }: { concurrent: boolean; isCut: boolean }): void {
    this.#isCut ||= isCut;
    for (const { path, before, after } of differences) {
      const known = this.#changes.get(path);
      if (!known && !this.#hasRoom(path)) continue;
      this.#changes.set(path, {
        path,
        before: known ? known.before : before,
        after,
        concurrent: concurrent || known?.concurrent === true,
        wasDirectory: known?.wasDirectory === true || isDirectory(before) || isDirectory(after),
      });
    }
  }

  /**
   * The net changes, each path once. Changes beyond the limits are one omission for the workspace itself. `targetOf` reads the target of a link
   * in this version; null if it cannot be kept.
   */
  list(targetOf: (link: { path: string; version: string }) => string | null = () => null): WorkspaceChanges {
    let targetLength = 0;
    const bounded: typeof targetOf = (link) => {
      const target = targetOf(link);
      targetLength += target === null ? 0 : JSON.stringify(target).length;
      return targetLength <= targetLengthMax ? target : null;
    };
    const changes = new Map<string, Change>();
    const directories: DirectoryChange[] = [];
    for (const { concurrent, wasDirectory, ...difference } of this.#changes.values()) {
      const change = changeFrom(withoutDirectories(difference), concurrent);
      if (change) changes.set(change.path, withTarget(change, difference.after, bounded));
      const directory = wasDirectory ? directoryChangeFrom(difference) : null;
      if (directory) directories.push(directory);
    }
    const sorted = [...changes.values()].sort(byPath);
    return {
      changes: this.#isCut ? [...sorted, unlistedChanges('too-many')] : sorted,
      directories: directories.sort(byPath),
    };
  }

  #hasRoom(path: string): boolean {
    const fits = this.#changes.size < changesMax && this.#pathBytes + path.length <= pathBytesMax;
    if (fits) this.#pathBytes += path.length;
    else this.#isCut = true;
    return fits;
  }
}

/** Stands for changes that cannot be listed. */
export const unlistedChanges = (omission: 'too-many' | 'unreadable'): Change => ({
  path: '',
  change: 'modified',
  size: 0,
  concurrent: false,
  omission,
});

/** The difference as code sees it that looks for a file there. */
const withoutDirectories = ({ path, before, after }: Difference): Difference => ({
  path,
  before: isDirectory(before) ? null : before,
  after: isDirectory(after) ? null : after,
});

function changeFrom({ path, before, after }: Difference, concurrent: boolean): Change | null {
  if (before === after) return null;
  const { text, isValid } = textOf(path);
  const file = after !== null && isFile(after) ? after : null;
  const omission: Omission | null = !isValid ? 'invalid-name' : after !== null && !file ? 'not-a-file' : null;
  return {
    path: isValid ? text : text.slice(0, shownCharactersMax).toWellFormed(),
    change: before === null ? 'created' : after === null ? 'deleted' : 'modified',
    size: file ? sizeIn(file) : 0,
    concurrent,
    ...(omission ? { omission } : file && { version: file, ...permissionsIn(file) }),
  };
}

/** A link with its target, if it can be read. */
function withTarget(
  change: Change,
  after: string | null,
  targetOf: NonNullable<Parameters<StepChanges['list']>[0]>,
): Change {
  if (after === null || !isLink(after) || change.omission !== 'not-a-file') return change;
  const target = targetOf({ path: change.path, version: after });
  return target === null ? change : { ...change, target };
}

/**
 * Says whether there is a directory now, also if there was one before: a step that ended meanwhile may have reported the opposite. A directory
 * whose name no request can have is left out, as the files in it are named.
 */
function directoryChangeFrom({ path, after }: Difference): DirectoryChange | null {
  const { text, isValid } = textOf(path);
  return isValid ? { path: text, change: isDirectory(after) ? 'created' : 'deleted' } : null;
}

const byPath = (one: { path: string }, other: { path: string }) => (one.path < other.path ? -1 : 1);

/** Decodes a path with one character for each byte. It is valid if a request could name it. */
function textOf(path: string): { text: string; isValid: boolean } {
  const bytes = Buffer.from(path, 'latin1');
  const text = bytes.toString();
  return { text, isValid: isUtf8(bytes) && workspacePath(text) === text };
}
