import type { Page, ProposalStatus, ProposedChange } from '@holdfast/specs/public';
import { decodeNumberCursor, encodeCursor } from '../cursor.ts';
import type { Queries } from '../queries.ts';
import type { ProposalRow } from '../schema/proposals.ts';

export type FoundProposal = Omit<ProposalRow, 'decidedByKey'> & { changeCount: number };

/** A change as it is recorded. */
export type RecordedChange = ProposedChange & { status: ProposalStatus };

const columns = ({ sql }: Queries) => sql`
  id, session_id as "sessionId", number, step_id as "stepId", status, created_at as "createdAt", decided_at as "decidedAt",
  decided_by as "decidedBy", (select count(*)::int from proposal_changes where proposal_id = proposals.id) as "changeCount"`;

type ListInput = {
  sessionId: string;
  status?: ProposalStatus | undefined;
  limit: number;
  cursor?: string | undefined;
};

/**
 * The proposals of a session by number.
 * @throws Problem `invalid-request` if the cursor is invalid
 */
export async function listProposals(
  queries: Queries,
  { sessionId, status, limit, cursor }: ListInput,
): Promise<Page<FoundProposal>> {
  const after = cursor === undefined ? 0 : decodeNumberCursor(cursor);
  const found = await queries.sql<FoundProposal[]>`
    select ${columns(queries)} from proposals
    where session_id = ${sessionId} and number > ${after}::int and (${status ?? null}::text is null or status = ${status ?? null})
    order by number limit ${limit + 1}::int`;
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return { items, nextCursor: last && found.length > limit ? encodeCursor([last.number]) : null };
}

export async function findProposal(
  queries: Queries,
  { sessionId, id }: { sessionId: string; id: string },
): Promise<FoundProposal | null> {
  const [found] = await queries.sql<FoundProposal[]>`
    select ${columns(queries)} from proposals where id = ${id} and session_id = ${sessionId}`;
  return found ?? null;
}

/** The proposals that one step made, by number. */
export async function listProposalsOfStep(
  { sql }: Queries,
  { sessionId, stepId }: { sessionId: string; stepId: string },
): Promise<{ id: string; number: number }[]> {
  return await sql<{ id: string; number: number }[]>`
    select id, number from proposals where step_id = ${stepId} and session_id = ${sessionId} order by number`;
}

/** The changes of a proposal by path, those of files first. */
export async function listProposalChanges({ sql }: Queries, { id }: { id: string }): Promise<RecordedChange[]> {
  return await sql<RecordedChange[]>`
    select path, kind, change, status, ${states({ sql })} from proposal_changes where proposal_id = ${id}
    order by kind desc, path`;
}

export type OpenChange = ProposedChange & { proposalId: string; number: number };

/** The open changes of a session, in the order in which they were made. */
export async function listOpenChanges({ sql }: Queries, { sessionId }: { sessionId: string }): Promise<OpenChange[]> {
  return await sql<OpenChange[]>`
    select proposal_id as "proposalId", number, path, kind, change, ${states({ sql })} from proposal_changes
    where session_id = ${sessionId} and status = 'open' order by number, kind desc, path`;
}

const states = ({ sql }: Pick<Queries, 'sql'>) => sql`
  case when before_sha256 is not null then jsonb_strip_nulls(jsonb_build_object(
    'size', before_size, 'sha256', encode(before_sha256, 'hex'), 'executable', before_executable, 'mode', before_mode, 'target', before_target
  )) end as before,
  case when after_sha256 is not null then jsonb_strip_nulls(jsonb_build_object(
    'size', after_size, 'sha256', encode(after_sha256, 'hex'), 'executable', after_executable, 'mode', after_mode, 'target', after_target
  )) end as after`;
