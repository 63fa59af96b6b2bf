import type { ProposalStatus, ProposedChange } from '@holdfast/specs/public';
import { and, sql as drizzleSql, eq } from 'drizzle-orm';
import { now } from '../clock.ts';
import type { Queries } from '../queries.ts';
import { proposals } from '../schema/proposals.ts';

/** A change of a proposal, by its primary key. */
export type ChangeKey = { proposalId: string; kind: ProposedChange['kind']; path: string };

/** The one that decides: the host, code of the session, or the end of the session. */
export type Decider = { by: 'host' | 'code' | 'system'; keyId?: string | null | undefined };

type DecideInput = {
  sessionId: string;
  changes: readonly ChangeKey[];
  as: Exclude<ProposalStatus, 'open'>;
  decider: Decider;
  /** Whether the working copy may still have the changes. */
  areInPlace?: boolean;
};

/**
 * Decides open changes, and with the last one of each proposal the proposal, which then counts as committed if any of its changes is.
 * Belongs into a transaction that holds the session's world.
 * @returns the number of changes that were open
 */
export async function decideChanges(
  queries: Queries,
  { sessionId, changes, as, decider, areInPlace = false }: DecideInput,
): Promise<number> {
  const decided = await queries.sql`
    update proposal_changes c set status = ${as}, is_in_place = ${areInPlace}
    from jsonb_to_recordset(${JSON.stringify(changes)}::text::jsonb) as k("proposalId" text, kind text, path text)
    where c.proposal_id = k."proposalId" and c.kind = k.kind and c.path = k.path
      and c.session_id = ${sessionId} and c.status = 'open'`;
  await closeProposals(queries, { sessionId, decider, as });
  return decided.count;
}

/** The status of a proposal with no open change any more, of which the last one was decided `as`. */
export const statusOfClosed = (as: Exclude<ProposalStatus, 'open'>) => drizzleSql<ProposalStatus>`case
  when exists (select from proposal_changes c where c.proposal_id = proposals.id and c.status = 'committed') then 'committed'
  else ${as}
end`;

async function closeProposals(
  { orm }: Queries,
  { sessionId, decider, as }: Pick<DecideInput, 'sessionId' | 'decider' | 'as'>,
): Promise<void> {
  await orm
    .update(proposals)
    .set({ status: statusOfClosed(as), decidedAt: now, decidedBy: decider.by, decidedByKey: decider.keyId ?? null })
    .where(
      and(
        eq(proposals.sessionId, sessionId),
        eq(proposals.status, 'open'),
        drizzleSql`not exists (select from proposal_changes c where c.proposal_id = proposals.id and c.status = 'open')`,
      ),
    );
}
