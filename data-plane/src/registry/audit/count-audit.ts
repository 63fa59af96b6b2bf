import type { AuditStatistics } from '@holdfast/specs/public';
import type { Queries } from '../queries.ts';
import { auditView, wholeMicroseconds } from './audit-view.ts';

const text = `
  select operation, sum(count)::float8 as count, (coalesce(sum(count) filter (where decision = 'denied'), 0))::float8 as denied,
    ${wholeMicroseconds('coalesce(sum("durationMs"), 0)')} as "durationMs", coalesce(sum(tokens), 0)::float8 as tokens,
    trim_scale(coalesce(sum(cost::numeric), 0))::text as cost
  from (${auditView}) as entries group by operation order by operation`;

/** How often each operation was done in a session, and what it took. */
export async function countAudit(
  { sql }: Queries,
  { sessionId, tenant }: { sessionId: string; tenant: string },
): Promise<AuditStatistics['items']> {
  return await sql.unsafe<AuditStatistics['items']>(text, [sessionId, tenant], { prepare: true });
}
