import { newId } from '@holdfast/specs/public';
import type { Queries } from '../queries.ts';

/**
 * Gives new sessions the open changes of another one, whose working copy they begin with. Their proposals have the same numbers, and no step, as
 * that belongs to the other session.
 */
export async function copyOpenProposals(
  { sql }: Queries,
  { from, to }: { from: string; to: readonly string[] },
): Promise<void> {
  const open = await sql<{ id: string }[]>`
    select id from proposals where session_id = ${from} and status = 'open' order by number`;
  if (open.length === 0) return;
  const copies = to.flatMap((sessionId) => open.map(({ id }) => ({ id: newId('prp'), sessionId, of: id })));
  await sql`
    with copies as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(copies)}::text::jsonb) as c(id text, "sessionId" text, "of" text)
    ), copied as (
      insert into proposals (id, session_id, number, created_at)
      select c.id, c."sessionId", p.number, p.created_at from copies c join proposals p on p.id = c."of"
      returning id
    )
    insert into proposal_changes (
      proposal_id, session_id, number, path, kind, change, before_sha256, before_size, before_executable, before_mode, before_target,
      after_sha256, after_size, after_executable, after_mode, after_target
    )
    select
      c.id, c."sessionId", o.number, o.path, o.kind, o.change, o.before_sha256, o.before_size, o.before_executable, o.before_mode,
      o.before_target, o.after_sha256, o.after_size, o.after_executable, o.after_mode, o.after_target
    from copies c join copied on copied.id = c.id join proposal_changes o on o.proposal_id = c."of" and o.status = 'open'`;
}
