import type { LastRecovery } from '@holdfast/specs/public';

/** A report goes with its session, of which a page of a list has a hundred. */
const charactersMax = 32 * 1024;

/** Leaves out names, the last ones first, until the report is short enough. Losses come before what was restored, because they matter more. Pure. */
export function boundReport(report: LastRecovery): LastRecovery {
  let room = charactersMax;
  let omitted = report.omitted;
  const fit = <Item>(items: readonly Item[]): Item[] => {
    const kept: Item[] = [];
    for (const item of items) {
      room -= JSON.stringify(item).length + 1;
      if (room < 0) break;
      kept.push(item);
    }
    omitted += items.length - kept.length;
    return kept;
  };
  const cut = report.contexts.map((context) => ({ ...context, lost: fit(context.lost) }));
  const files = report.files && { ...report.files, lost: fit(report.files.lost) };
  const contexts = cut.map((context) => ({
    ...context,
    replayed: fit(context.replayed),
    restored: fit(context.restored),
  }));
  return { ...report, contexts, omitted, ...(files && { files }) };
}
