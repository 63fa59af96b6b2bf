import type { ProposedChange } from '@holdfast/specs/public';
import type { Queries } from '../queries.ts';

/** A proposal that is being recorded. Only the writer that has claimed the world numbers proposals. */
export type NewProposal = { id: string; number: number; stepId: string | null; changes: readonly ProposedChange[] };

/** Inserts an open proposal, in the transaction that releases the claim of the world. Does nothing if the session is gone. */
export async function insertProposal(
  { sql }: Queries,
  { sessionId, proposal: { id, number, stepId, changes } }: { sessionId: string; proposal: NewProposal },
): Promise<void> {
  await sql`
    with proposal as (
      insert into proposals (id, session_id, number, step_id)
      select ${id}, s.id, ${number}, ${stepId} from (select id from sessions where id = ${sessionId} for key share) as s
      returning id, session_id, number
    )
    insert into proposal_changes (
      proposal_id, session_id, number, path, kind, change, before_sha256, before_size, before_executable, before_mode, before_target,
      after_sha256, after_size, after_executable, after_mode, after_target
    )
    select
      p.id, p.session_id, p.number, c.path, c.kind, c.change,
      decode(c.before ->> 'sha256', 'hex'), (c.before ->> 'size')::bigint, (c.before ->> 'executable')::boolean,
      c.before ->> 'mode', c.before ->> 'target',
      decode(c.after ->> 'sha256', 'hex'), (c.after ->> 'size')::bigint, (c.after ->> 'executable')::boolean,
      c.after ->> 'mode', c.after ->> 'target'
    from jsonb_to_recordset(${JSON.stringify(changes)}::text::jsonb) as c(path text, kind text, change text, before jsonb, after jsonb)
      cross join proposal p`;
}

/** The number of the next proposal of a session. */
export async function nextProposalNumber({ sql }: Queries, { sessionId }: { sessionId: string }): Promise<number> {
  const [row] = await sql<{ number: number }[]>`
    select coalesce(max(number), 0) + 1 as number from proposals where session_id = ${sessionId}`;
  return row?.number ?? 1;
}
