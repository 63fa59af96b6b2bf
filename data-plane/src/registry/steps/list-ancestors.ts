import type { Queries } from '../queries.ts';

/** The step and those above it, each of which runs the one before. */
export async function listAncestors(
  { sql }: Queries,
  { sessionId, stepId }: { sessionId: string; stepId: string },
): Promise<{ id: string; contextId: string | null }[]> {
  return await sql<{ id: string; contextId: string | null }[]>`
    with recursive line as (
      select id, context_id, parent_step_id from steps where id = ${stepId} and session_id = ${sessionId}
      union
      select s.id, s.context_id, s.parent_step_id from steps s join line l on s.id = l.parent_step_id
      where s.session_id = ${sessionId}
    )
    select id, context_id as "contextId" from line`;
}
