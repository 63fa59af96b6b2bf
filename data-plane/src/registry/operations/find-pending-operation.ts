import type { Queries } from '../queries.ts';
import type { OperationRow } from '../schema/operations.ts';

export type PendingOperation = Pick<OperationRow, 'id' | 'stepId' | 'name' | 'arguments'>;

/** `after`: only operations that became visible later than this one. One that is not in the session has no effect. */
type PendingQuery = { sessionId: string; stepId: string; after?: string | undefined };

/** The oldest operation that a step waits for, or that one of the steps which it runs waits for. */
export async function findPendingOperation(
  { sql }: Queries,
  { sessionId, stepId, after }: PendingQuery,
): Promise<PendingOperation | null> {
  const [pending] = await sql<PendingOperation[]>`
    with recursive family as (
      select ${stepId}::text as id
      union
      select s.id from steps s join family f on s.parent_step_id = f.id
      where s.session_id = ${sessionId} and s.replica_id is not null
    )
    select o.id, o.step_id as "stepId", o.name, o.arguments from operations o join family f on f.id = o.step_id
    where o.status = 'pending' and o.deadline > now() and o.place > coalesce((
      select seen.place from operations seen where seen.id = ${after ?? null} and seen.session_id = ${sessionId}
    ), 0)
    order by o.place limit 1`;
  return pending ?? null;
}
