import type { Change } from '@holdfast/specs/agent';
import { storable, workspacePath } from '@holdfast/specs/public';

/** So many changes of one step are listed, and no more than have so many characters of paths as JSON. */
const listedMax = 2000;
const pathLengthMax = 1024 * 1024;
const invalidPathLengthMax = 1024;

/**
 * What an agent says of changes, as it can be recorded: one entry for each path, which is as the workspace writes it or marked as
 * `invalid-name`. `rest` are those beyond what is listed, for which one entry `too-many` stands in `listed`. Pure.
 */
export function listedChanges(changes: readonly Change[]): { listed: Change[]; rest: Change[] } {
  const distinct = distinctChanges(changes);
  let length = 0;
  const fits = (change: Change, index: number) => {
    length += JSON.stringify(change.path).length;
    return index < listedMax && length <= pathLengthMax;
  };
  const end = distinct.findIndex((change, index) => !fits(change, index));
  if (end === -1) return { listed: distinct, rest: [] };
  const listed = distinct.slice(0, end).filter(({ path }) => path !== '');
  return { listed: [...listed, tooMany], rest: distinct.slice(end) };
}

/** As `listedChanges`, however many they are. Pure. */
export function distinctChanges(changes: readonly Change[]): Change[] {
  const byPath = new Map<string, Change>();
  for (const change of changes) {
    const isNamed = workspacePath(change.path) === change.path && (change.path !== '' || change.omission !== undefined);
    const entry: Change = isNamed
      ? change
      : { ...change, path: storable(change.path, invalidPathLengthMax), omission: 'invalid-name' };
    if (!byPath.has(entry.path)) byPath.set(entry.path, entry);
  }
  return [...byPath.values()];
}

const tooMany: Change = { path: '', change: 'modified', size: 0, concurrent: false, omission: 'too-many' };
