import type { AuditStatistics } from '@holdfast/specs/public';
import type { Queries } from '../queries.ts';
import { auditView } from './audit-view.ts';

const text = `
  select operation, count(*)::int as count, (count(*) filter (where decision = 'denied'))::int as denied,
    coalesce(sum("durationMs"), 0)::float8 as "durationMs", coalesce(sum(tokens), 0)::float8 as tokens, coalesce(sum(cost), 0)::float8 as cost
  from (${auditView}) as entries group by operation order by operation`;

/** How often each operation was done in a session, and what it took. */
export async function countAudit(
  { sql }: Queries,
  { sessionId, tenant }: { sessionId: string; tenant: string },
): Promise<AuditStatistics['items']> {
  return await sql.unsafe<AuditStatistics['items']>(text, [sessionId, tenant], { prepare: true });
}
