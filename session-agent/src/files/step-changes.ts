import { isUtf8 } from 'node:buffer';
import type { Change } from '@holdfast/specs';
import type { Difference } from './compare-scans.ts';
import { isFile, sizeIn } from './scan-record.ts';

const changesMax = 10_000;

/** What changed while one step ran, over as many scans as there were. */
export class StepChanges {
  #changes = new Map<string, Difference & { concurrent: boolean }>();
  #isCut = false;

  add(differences: readonly Difference[], { concurrent, isCut }: { concurrent: boolean; isCut: boolean }): void {
    this.#isCut ||= isCut;
    for (const { path, before, after } of differences) {
      const known = this.#changes.get(path);
      if (!known && this.#changes.size >= changesMax) {
        this.#isCut = true;
        continue;
      }
      this.#changes.set(path, {
        path,
        before: known ? known.before : before,
        after,
        concurrent: concurrent || known?.concurrent === true,
      });
    }
  }

  /** The net changes, sorted by path. What could not be looked at is one omission for the workspace itself. */
  list(): Change[] {
    const changes: Change[] = [];
    for (const { path, before, after, concurrent } of this.#changes.values()) {
      if (before !== after) changes.push(changeFrom({ path, before, after }, concurrent));
    }
    changes.sort((one, other) => (one.path < other.path ? -1 : one.path > other.path ? 1 : 0));
    if (this.#isCut) changes.push(unseen('too-many'));
    return changes;
  }
}

/** Stands for changes that nobody can list. */
export const unseen = (omission: 'too-many' | 'unreadable'): Change => ({
  path: '',
  change: 'modified',
  size: 0,
  concurrent: false,
  omission,
});

function changeFrom({ path, before, after }: Difference, concurrent: boolean): Change {
  const bytes = Buffer.from(path, 'latin1');
  const omission = !isUtf8(bytes) ? 'invalid-name' : after !== null && !isFile(after) ? 'not-a-file' : undefined;
  return {
    path: bytes.toString().slice(0, 8192),
    change: before === null ? 'created' : after === null ? 'deleted' : 'modified',
    size: after !== null && isFile(after) ? sizeIn(after) : 0,
    concurrent,
    ...(omission && { omission }),
  };
}
