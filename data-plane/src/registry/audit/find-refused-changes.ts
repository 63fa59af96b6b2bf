import type { RefusedChanges } from '@holdfast/specs/public';
import type { Queries } from '../queries.ts';

/** The changes of a step that were put back, as its entries have them, which are recorded together with its artifacts. Null if there were none. */
export async function findRefusedChanges(
  { sql }: Queries,
  { sessionId, stepId }: { sessionId: string; stepId: string },
): Promise<RefusedChanges | null> {
  const rows = await sql<{ rule: string; count: number }[]>`
    select rule, sum(coalesce((arguments ->> 'count')::int, 1))::int as count from audit_entries
    where session_id = ${sessionId} and step_id = ${stepId} and operation = 'world.change' and decision = 'denied'
    group by rule`;
  if (rows.length === 0) return null;
  return {
    count: rows.reduce((sum, { count }) => sum + count, 0),
    rules: rows.map(({ rule }) => rule).sort(),
  };
}
