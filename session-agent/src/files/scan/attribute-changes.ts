import type { Difference } from './compare-scans.ts';
import type { PathRecord } from './path-record.ts';

/** The differences that a step may have made, alone or with others. */
export type OwnDifferences = { alone: Difference[]; shared: Difference[] };

/**
 * Which of the steps that ran between two scans made which change. One is made by those steps whose records have its path; otherwise by those
 * that have no whole record; and if there are none of these either, by any of them. Pure, but for reading the records.
 * @param steps by id, with their records
 */
export function attributeChanges(
  differences: readonly Difference[],
  steps: ReadonlyMap<string, PathRecord | null>,
): Map<string, OwnDifferences> {
  const attributed = new Map([...steps.keys()].map((id) => [id, { alone: [], shared: [] } as OwnDifferences]));
  const everyone = [...attributed.values()];
  const known = [...steps].flatMap(([id, record]) => (record ? [{ record, own: attributed.get(id) }] : []));
  const unknown = [...steps].flatMap(([id, record]) => (record?.isWhole() ? [] : [attributed.get(id)]));
  for (const difference of differences) {
    const recorded = known.filter(({ record }) => record.has(difference.path)).map(({ own }) => own);
    const makers = [recorded, unknown, everyone].find((some) => some.length > 0) ?? [];
    for (const own of makers) own?.[makers.length > 1 ? 'shared' : 'alone'].push(difference);
  }
  return attributed;
}
