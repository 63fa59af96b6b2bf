import { recordAudit } from '../audit/record-audit.ts';
import { chargeUsage } from '../budgets/charge-usage.ts';
import type { Queries } from '../queries.ts';
import { type AnswerableOperation, answerableColumns } from './find-operation.ts';

type OperationAnswerInput = {
  sessionId: string;
  id: string;
  status: 'succeeded' | 'failed';
  /** JSON. */
  answer: string;
  fingerprint: Buffer;
  answeredBy: string | null;
  /** The tokens and the cost, as a decimal, that the budget is charged for. */
  spent: { tokens: number; cost: string } | null;
};

type Answered = AnswerableOperation & {
  tenant: string;
  actor: 'agent' | 'user';
  turn: number;
  durationMs: number;
  auditedArguments: Record<string, unknown> | null;
};

/** Records the first answer to an operation that waits, with what it has cost, and its entry in the audit log. Null: it waits no longer, or there is none. */
export async function recordOperationAnswer(
  db: Queries,
  { sessionId, id, status, answer, fingerprint, answeredBy, spent }: OperationAnswerInput,
): Promise<AnswerableOperation | null> {
  return await db.transaction(async (tx) => {
    const { sql } = tx;
    const [answered] = await sql<Answered[]>`
      with o as (
        update operations set
          status = ${status}, answer = ${answer}, fingerprint = ${fingerprint}, answered_at = now(), answered_by = ${answeredBy}
        from steps s
        where operations.id = ${id} and operations.session_id = ${sessionId} and operations.status = 'pending'
          and operations.deadline > now() and s.id = operations.step_id and s.finished_at is null
        returning operations.*
      )
      select ${answerableColumns(tx)}, sessions.tenant, s.actor, s.number as turn, o.audited_arguments as "auditedArguments",
        (extract(epoch from now() - o.created_at) * 1000)::float8 as "durationMs"
      from o join steps s on s.id = o.step_id join sessions on sessions.id = o.session_id`;
    if (!answered) return null;
    const { tenant, actor, turn, durationMs, auditedArguments, ...operation } = answered;
    const { stepId, name } = operation;
    if (spent) {
      // The budget comes before the step, as everywhere.
      await chargeUsage(tx, { sessionId, ...spent });
      await sql`update steps set tokens_used = coalesce(tokens_used, 0) + ${spent.tokens}::bigint where id = ${stepId}`;
    }
    await recordAudit(tx, {
      sessionId,
      tenant,
      actor,
      keyId: answeredBy,
      operation: name,
      arguments: { operationId: id, status, ...auditedArguments },
      decision: 'allowed',
      stepId,
      turn,
      durationMs,
      ...spent,
    });
    return operation;
  });
}
