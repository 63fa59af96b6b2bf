import { recordAudit } from '../audit/record-audit.ts';
import type { Queries } from '../queries.ts';
import type { OperationRow } from '../schema/operations.ts';

export type SettledOperation = Pick<OperationRow, 'id' | 'status' | 'answer' | 'deliveredAt'>;

/** Ends the wait of those that are past their deadline, and returns those of the operations that wait no longer. */
export async function settleOperations(db: Queries, { ids }: { ids: readonly string[] }): Promise<SettledOperation[]> {
  const found = await db.sql<(SettledOperation & { isLate: boolean })[]>`
    select id, status, answer, delivered_at as "deliveredAt", status = 'pending' as "isLate" from operations
    where id = any(${ids as string[]}::text[]) and (status <> 'pending' or deadline <= now())`;
  const late = found.filter(({ isLate }) => isLate).map(({ id }) => id);
  const settled = found.filter(({ isLate }) => !isLate);
  return late.length > 0 ? [...settled, ...(await endWait(db, { late }))] : settled;
}

type Ended = SettledOperation & {
  sessionId: string;
  tenant: string;
  actor: 'agent' | 'user';
  name: string;
  auditedArguments: Record<string, unknown> | null;
  stepId: string;
  turn: number;
  durationMs: number;
};

async function endWait(db: Queries, { late }: { late: readonly string[] }): Promise<SettledOperation[]> {
  return await db.transaction(async (tx) => {
    const ended = await tx.sql<Ended[]>`
      update operations o set status = 'timed_out', answered_at = now()
      from steps s join sessions on sessions.id = s.session_id
      where o.id = any(${late as string[]}::text[]) and o.status = 'pending' and o.deadline <= now() and s.id = o.step_id
      returning o.id, o.status, o.answer, o.delivered_at as "deliveredAt", o.session_id as "sessionId", tenant, s.actor, o.name,
        o.audited_arguments as "auditedArguments",
        o.step_id as "stepId", s.number as turn, (extract(epoch from now() - o.created_at) * 1000)::float8 as "durationMs"`;
    if (ended.length > 0) await recordAudit(tx, ...ended.map(entryOf));
    return ended.map(({ id, status, answer, deliveredAt }) => ({ id, status, answer, deliveredAt }));
  });
}

const entryOf = ({ sessionId, tenant, actor, name, stepId, turn, durationMs, id, auditedArguments }: Ended) => ({
  sessionId,
  tenant,
  actor,
  operation: name,
  arguments: { operationId: id, status: 'timed_out', ...auditedArguments },
  decision: 'allowed' as const,
  stepId,
  turn,
  durationMs,
});
