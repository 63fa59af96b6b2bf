import { decimalOf, type ReportedUsage, type Usage } from '@holdfast/specs/public';
import type { Seal } from '../../keys/seal.ts';
import { entryOf } from '../../policy/audit/asked-by.ts';
import { recordAudit } from '../../registry/audit/record-audit.ts';
import { chargeUsage } from '../../registry/budgets/charge-usage.ts';
import type { Database } from '../../registry/connect.ts';
import { answerOnce } from '../../registry/idempotency/answer-once.ts';
import type { Queries } from '../../registry/queries.ts';
import type { Caller } from '../caller.ts';
import { existingSession } from '../existing-session.ts';
import { keyMismatch } from '../idempotently.ts';

type ReportDependencies = { db: Database; seal: Pick<Seal, 'close' | 'open' | 'fingerprint'> };
type Report = { caller: Caller; sessionId: string; usage: Usage; idempotencyKey?: string | undefined };

/**
 * Charges what the host has spent, also for a session that has ended: a report may be late. With an Idempotency-Key it is charged once, since
 * the key is recorded in the same transaction.
 * @throws Problem 404, 410 if the session was deleted, 422 if the key came with another request
 */
export async function reportUsage(deps: ReportDependencies, report: Report): Promise<ReportedUsage> {
  const { db, seal } = deps;
  const { caller, sessionId, usage, idempotencyKey: key } = report;
  const { tenant } = caller;
  await existingSession(db, { id: sessionId, tenant });
  const spent = { tokens: usage.tokens ?? 0, cost: decimalOf(usage.cost ?? 0) };
  const charge = async (tx: Queries): Promise<ReportedUsage> => {
    const budgetRemaining = await chargeUsage(tx, { sessionId, ...spent });
    await recordAudit(tx, { ...entryOf(caller, sessionId, { operation: 'usage.report' }), ...spent });
    return { budgetRemaining };
  };
  if (!key) return await db.transaction(charge);
  const fingerprint = seal.fingerprint(JSON.stringify(['report usage', sessionId, usage]));
  const sealed = await answerOnce(db, { tenant, key, fingerprint, resourceId: sessionId }, async (tx) =>
    seal.close(JSON.stringify(await charge(tx))),
  );
  if (!sealed) throw keyMismatch();
  return JSON.parse(await seal.open(sealed));
}
