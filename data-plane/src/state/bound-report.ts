import type { LastRecovery } from '@holdfast/specs/public';
import { createNamesThatFit } from './names-that-fit.ts';

/** A report goes with its session, of which a page of a list has a hundred. */
const charactersMax = 32 * 1024;

/** Leaves out names, the last ones first, until the report is short enough. Losses come before what was restored, because they matter more. Pure. */
export function boundReport(report: LastRecovery): LastRecovery {
  const names = createNamesThatFit({ charactersMax });
  const cut = report.contexts.map((context) => ({ ...context, lost: names.fit(context.lost) }));
  const files = report.files && { ...report.files, lost: names.fit(report.files.lost) };
  const contexts = cut.map((context) => ({
    ...context,
    replayed: names.fit(context.replayed),
    restored: names.fit(context.restored),
  }));
  return { ...report, contexts, omitted: report.omitted + names.omitted, ...(files && { files }) };
}
