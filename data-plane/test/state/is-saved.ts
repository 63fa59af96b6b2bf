import type { Installation } from '../support/installation.ts';

/** Whether the state of the session's latest step is in a snapshot. */
export async function isSaved({ database }: Installation, sessionId: string): Promise<boolean> {
  const [row] = await database.db.sql`
    select 1 from sessions s join steps l on l.session_id = s.id and l.number = s.step_count
    join snapshots n on n.session_id = s.id and n.context_id = l.context_id
      and (n.epoch, n.context_epoch, n.execution_count) >= (l.epoch, l.context_epoch, l.execution_count)
    where s.id = ${sessionId}`;
  return row !== undefined;
}
