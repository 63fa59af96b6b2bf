import type { AuditActor, AuditDecision, Page } from '@holdfast/specs/public';
import { decodeTimeCursor, encodeCursor } from '../cursor.ts';
import type { Queries } from '../queries.ts';
import { auditView } from './audit-view.ts';

type ListInput = {
  sessionId: string;
  tenant: string;
  turn?: number | undefined;
  operation?: string | undefined;
  limit: number;
  cursor?: string | undefined;
};

/** An entry as it is read. */
export type ListedAuditEntry = {
  id: string;
  time: Date;
  turn: number | null;
  stepId: string | null;
  actor: AuditActor;
  actorName: string | null;
  keyId: string | null;
  operation: string;
  arguments: Record<string, unknown> | null;
  decision: AuditDecision;
  rule: string | null;
  durationMs: number | null;
  tokens: number | null;
  /** A decimal. */
  cost: string | null;
  /** How many calls it stands for. */
  count: number;
};

const text = `
  select * from (${auditView}) as entries
  where (time, id) > ($3::timestamptz, $4 collate "C") and ($5::int is null or turn = $5) and ($6::text is null or operation = $6)
  order by time, id limit $7::int`;

/**
 * Entries of a session, oldest first, also after its deletion.
 * @throws Problem `invalid-request` if the cursor is invalid
 */
export async function listAudit(
  { sql }: Queries,
  { sessionId, tenant, turn, operation, limit, cursor }: ListInput,
): Promise<Page<ListedAuditEntry>> {
  const { at, id } = cursor === undefined ? { at: new Date(0), id: '' } : decodeTimeCursor(cursor);
  const values = [sessionId, tenant, at, id, turn ?? null, operation ?? null, limit + 1];
  const rows = await sql.unsafe<ListedAuditEntry[]>(text, values, { prepare: true });
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, nextCursor: last && rows.length > limit ? encodeCursor([last.time.getTime(), last.id]) : null };
}
