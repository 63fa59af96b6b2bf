import { isUtf8 } from 'node:buffer';
import type { Change } from '@holdfast/specs/agent';
import { type Omission, workspacePath } from '@holdfast/specs/public';
import type { Difference } from './compare-scans.ts';
import { isFile, sizeIn } from './scan-record.ts';

const changesMax = 10_000;
/** The limit for all paths together, as code may give its files very long paths. */
const pathBytesMax = 4 * 1024 * 1024;
/** An invalid path is shown up to this length. */
const shownCharactersMax = 1024;

/** Collects the changes during one step, over any number of scans. */
export class StepChanges {
  #changes = new Map<string, Difference & { concurrent: boolean }>();
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
      });
    }
  }

  /** The net changes, sorted by path, each path once. Changes beyond the limits are one omission for the workspace itself. */
  list(): Change[] {
    if (this.#changes.size === 0 && !this.#isCut) return [];
    const changes = new Map<string, Change>();
    for (const { path, before, after, concurrent } of this.#changes.values()) {
      if (before === after) continue;
      const change = changeFrom({ path, before, after }, concurrent);
      changes.set(change.path, change);
    }
    const sorted = [...changes.values()].sort((one, other) => (one.path < other.path ? -1 : 1));
    return this.#isCut ? [...sorted, unlistedChanges('too-many')] : sorted;
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

function changeFrom({ path, before, after }: Difference, concurrent: boolean): Change {
  const { text, isValid } = textOf(path);
  const omission: Omission | null = !isValid ? 'invalid-name' : after !== null && !isFile(after) ? 'not-a-file' : null;
  return {
    path: isValid ? text : text.slice(0, shownCharactersMax).toWellFormed(),
    change: before === null ? 'created' : after === null ? 'deleted' : 'modified',
    size: after !== null && isFile(after) ? sizeIn(after) : 0,
    concurrent,
    ...(omission ? { omission } : after !== null && { version: after }),
  };
}

/** Decodes a path with one character for each byte. It is valid if a request could name it. */
function textOf(path: string): { text: string; isValid: boolean } {
  const bytes = Buffer.from(path, 'latin1');
  const text = bytes.toString();
  return { text, isValid: isUtf8(bytes) && workspacePath(text) === text };
}
