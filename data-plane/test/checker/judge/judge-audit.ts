import type { AuditEntry } from '@holdfast/specs/public';
import type { SessionEvidence, Violation } from './evidence.ts';

/** Compares the audit log of a session with its status and its steps: each change has its entry, and each entry its change. Pure. */
export function* judgeAudit({ id, session, history, audit }: SessionEvidence): Generator<Violation> {
  if (!session) return;
  const violation = (detail: string): Violation => ({
    rule: 'a change without its audit entry',
    sessionId: id,
    detail,
  });
  let status: unknown;
  for (const { arguments: facts } of audit.filter(isOfSession)) {
    if (facts?.from !== status) yield violation(`a change from ${facts?.from} after one to ${status}`);
    status = facts?.status;
  }
  if (status !== session.status) yield violation(`the session is ${session.status}, and its log ends with ${status}`);
  const withdrawn = countsOf(audit, ['step.withdraw']);
  const run = countsOf(audit, ['step.run', 'job.run']);
  const known = new Set(history.map((step) => step.id));
  for (const stepId of known) if (!run.has(stepId)) yield violation(`${stepId} has no entry`);
  for (const [stepId, count] of run) {
    const rows = known.has(stepId) ? 1 : 0;
    if (count !== rows + (withdrawn.get(stepId) ?? 0))
      yield violation(`${stepId} has ${count} entries and ${rows} rows`);
  }
}

/** The entries of the trigger, in the order of the changes. */
const isOfSession = ({ operation, arguments: facts }: AuditEntry): boolean =>
  operation.startsWith('session.') && facts !== null && 'status' in facts;

function countsOf(audit: readonly AuditEntry[], operations: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { operation, stepId } of audit) {
    if (stepId && operations.includes(operation)) counts.set(stepId, (counts.get(stepId) ?? 0) + 1);
  }
  return counts;
}
