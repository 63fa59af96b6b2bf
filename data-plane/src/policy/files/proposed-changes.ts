import type { FileState, ProposedChange } from '@holdfast/specs/public';
import type { WorldFile } from '../../registry/world-files/list-world-files.ts';
import { stateOf } from './same-file.ts';
import type { Tree } from './separate-forbidden.ts';

type Changes = {
  put: readonly WorldFile[];
  remove: readonly string[];
  directories: { put: readonly string[]; remove: readonly string[] };
};

/** Changes of a tree as a proposal has them, each with the state before. Pure. */
export function proposedChanges({ put, remove, directories }: Changes, tree: Tree): ProposedChange[] {
  const directory = (change: 'created' | 'deleted') => (path: string) =>
    ({ path, kind: 'directory', change, before: null, after: null }) as const;
  const file = (path: string, after: FileState | null): ProposedChange => {
    const known = tree.files.get(path);
    const change = after === null ? 'deleted' : known ? 'modified' : 'created';
    const before = known ? stateOf(known) : null;
    const kind = (after ?? before)?.target === undefined ? 'file' : 'link';
    return { path, kind, change, before, after };
  };
  return [
    ...put.map((one) => file(one.path, stateOf(one))),
    ...remove.map((path) => file(path, null)),
    ...directories.put.map(directory('created')),
    ...directories.remove.map(directory('deleted')),
  ];
}
