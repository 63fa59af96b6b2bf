import type { ProposedChange } from '@holdfast/specs/public';
import type { OpenChange } from '../../registry/proposals/find-proposals.ts';
import { directoriesOf } from '../../registry/world-files/directories-of.ts';

/** Finds changes by what they have to do with a path. */
function changesAround(changes: readonly OpenChange[]) {
  const at = new Map<string, OpenChange[]>();
  const below = new Map<string, OpenChange[]>();
  for (const change of changes) {
    push(at, change.path, change);
    for (const directory of directoriesOf(change.path)) push(below, directory, change);
  }
  return {
    at: (path: string) => at.get(path) ?? [],
    below: (path: string) => below.get(path) ?? [],
    above: (path: string) => directoriesOf(path).flatMap((directory) => at.get(directory) ?? []),
  };
}

function push(map: Map<string, OpenChange[]>, key: string, change: OpenChange): void {
  const changes = map.get(key);
  if (changes) changes.push(change);
  else map.set(key, [change]);
}

const isFile = ({ kind }: Pick<ProposedChange, 'kind'>) => kind !== 'directory';
const makes = ({ change }: Pick<ProposedChange, 'change'>) => change !== 'deleted';

/**
 * The open changes that cannot stay if the selected ones are rejected, these included: later changes of the same paths, and changes that
 * only fit in a tree that has the selected ones. Pure.
 */
export function withDependents(selected: readonly OpenChange[], open: readonly OpenChange[]): OpenChange[] {
  const { at, below, above } = changesAround(open);
  const rejected = new Set<OpenChange>();
  const queue = [...selected];
  for (let change = queue.pop(); change; change = queue.pop()) {
    if (rejected.has(change)) continue;
    rejected.add(change);
    const { number, path, kind } = change;
    const later = (other: OpenChange) => other.number >= number && !rejected.has(other);
    queue.push(...at(path).filter((other) => other.number > number || isFile(other) !== isFile(change)));
    // Something comes back here, for which every directory above it is needed; or a directory goes, with everything in it.
    const comesBack = change.change === 'deleted';
    if (comesBack) queue.push(...above(path).filter((other) => later(other) && isFile(other) && makes(other)));
    const takesAll = kind === 'directory' ? !comesBack : comesBack;
    if (takesAll) queue.push(...below(path).filter((other) => later(other) && makes(other)));
  }
  return [...rejected];
}

/** An earlier open change without which the selected ones do not fit; undefined if there is none. Pure. */
export function earlierRelated(
  selected: readonly OpenChange[],
  open: readonly OpenChange[],
): { change: OpenChange; earlier: OpenChange } | undefined {
  const { at, below, above } = changesAround(open);
  for (const change of selected) {
    const related = [
      ...at(change.path).filter((other) => isFile(other) || isFile(change)),
      ...(makes(change) ? above(change.path).filter(isFile) : []),
      ...(isFile(change) && makes(change) ? below(change.path) : []),
    ];
    const earlier = related.find(({ number }) => number < change.number);
    if (earlier) return { change, earlier };
  }
  return undefined;
}
