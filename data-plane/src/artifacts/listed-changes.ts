import type { Change } from '@holdfast/specs/agent';
import { storable, workspacePath } from '@holdfast/specs/public';

/** The number of changes of one step that are listed. */
const listedMax = 2000;
/** The characters, as JSON, that the paths of the listed changes of one step have together. */
const pathLengthMax = 1024 * 1024;
const invalidPathLengthMax = 1024;

/**
 * Turns the changes that an agent reports into changes that can be recorded: one for each path. A path that is not normal, or leads
 * out of the workspace, is marked as `invalid-name`. `rest` are the changes beyond the limits; one `too-many` entry in `listed` stands
 * for them. Pure.
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

/** The same without limits. Pure. */
export function distinctChanges(changes: readonly Change[]): Change[] {
  const byPath = new Map<string, Change>();
  for (const change of changes) {
    const isNamed = workspacePath(change.path) === change.path && (change.path !== '' || change.omission !== undefined);
    const entry: Change = isNamed
      ? asLink(change)
      : { ...change, path: storable(change.path, invalidPathLengthMax), omission: 'invalid-name', target: undefined };
    if (!byPath.has(entry.path)) byPath.set(entry.path, entry);
  }
  return [...byPath.values()];
}

/** A link whose target is known can be stored: the target is its content. */
function asLink(change: Change): Change {
  const { target, omission, ...link } = change;
  if (target === undefined) return change;
  return omission === 'not-a-file' && link.change !== 'deleted'
    ? { ...link, size: Buffer.byteLength(target), target }
    : { ...link, omission };
}

const tooMany: Change = { path: '', change: 'modified', size: 0, concurrent: false, omission: 'too-many' };
