import { isDeepStrictEqual } from 'node:util';
import { type PolicyRules, policyPresets } from '@holdfast/specs/public';
import type { Queries } from '../queries.ts';
import { replicaStaleSeconds } from '../replicas/beat-replica.ts';

/** The right of one write to change the world of a session, until it is released. */
export type WorldClaim = {
  sessionId: string;
  writer: string;
  /** Whether world and working copy may differ because of an earlier write. */
  isUnsettled: boolean;
  /** Null: changes of the working copy go into the world as they are. */
  rules: ClaimedRules | null;
  policyRevision: number;
};

/** The rules for files as of the claim. */
export type ClaimedRules = {
  readPatterns: readonly string[];
  writePatterns: readonly string[];
  readOnly: boolean;
  /** Whether changes become proposals. They do as long as proposals are open, because a change belongs on top of those. */
  isProposing: boolean;
  /** As many proposals are open as may be. */
  isFull: boolean;
  /** The read patterns with which the working copy was filled. */
  filledPatterns: readonly string[];
  /** Whether code may commit its proposals. */
  codeMayCommit: boolean;
};

type ClaimInput = Pick<WorldClaim, 'sessionId' | 'writer'> & { replicaId: string };

/**
 * Takes the lock of a session's world, and with it marks the world as unsettled until the claim is released. A replica runs one write
 * of a session at a time, so a claim of its own that is still there was never released. May be repeated.
 *
 * @returns `held` if another replica, which is alive, has the lock; null if the session is gone
 */
export async function claimWorld(
  { sql }: Queries,
  { sessionId, writer, replicaId }: ClaimInput,
): Promise<WorldClaim | 'held' | null> {
  const [row] = await sql<ClaimedRow[]>`
    with claimed as (
      insert into worlds as w (session_id, writer, replica_id)
      select id, ${writer}, ${replicaId} from sessions where id = ${sessionId}
      on conflict (session_id) do update set
        writer = excluded.writer, replica_id = excluded.replica_id, claimed_at = now(), reserved_bytes = 0,
        is_unsettled = w.is_unsettled or (w.writer is not null and w.writer <> excluded.writer)
      where w.writer is null or w.replica_id = excluded.replica_id or not exists (
        select from replicas r where r.id = w.replica_id and r.heartbeat_at >= now() - ${replicaStaleSeconds} * interval '1 second'
      )
      returning is_unsettled, filled_patterns
    )
    select
      c.is_unsettled as "isUnsettled", c.filled_patterns as "filledPatterns", s.policy -> 'world' as world,
      s.policy_revision as "policyRevision",
      (
        select count(*)::int from (
          select from proposals where session_id = s.id and status = 'open' limit ${openProposalsMax}
        ) as open
      ) as "openProposals"
    from sessions s left join claimed c on true where s.id = ${sessionId}`;
  if (!row) return null;
  if (row.isUnsettled === null) return 'held';
  const rules = rulesOf(row);
  const isFilledOtherwise = rules !== null && !isDeepStrictEqual(rules.filledPatterns, rules.readPatterns);
  const { policyRevision } = row;
  return { sessionId, writer, isUnsettled: row.isUnsettled || isFilledOtherwise, rules, policyRevision };
}

type ClaimedRow = {
  isUnsettled: boolean | null;
  filledPatterns: string[] | null;
  world: PolicyRules['world'] | null;
  policyRevision: number;
  openProposals: number;
};

/** Each has the changes of one step, which are limited, too. */
const openProposalsMax = 1000;

/** The patterns of a working copy that has everything. */
const everything: readonly string[] = ['**'];

function rulesOf({ filledPatterns, world, openProposals }: ClaimedRow): ClaimedRules | null {
  if (!world && !filledPatterns && openProposals === 0) return null;
  const { proposalMode, ...rules } = { ...policyPresets.unrestricted.world, ...world };
  return {
    ...rules,
    isProposing: proposalMode || openProposals > 0,
    isFull: openProposals === openProposalsMax,
    filledPatterns: filledPatterns ?? (rules.readPatterns.includes('**') ? rules.readPatterns : everything),
  };
}

/** Whether the claim is still valid. */
export async function holdsWorld(
  { sql }: Queries,
  { sessionId, writer }: Pick<WorldClaim, 'sessionId' | 'writer'>,
): Promise<boolean> {
  const held = await sql`select from worlds where session_id = ${sessionId} and writer = ${writer}`;
  return held.length > 0;
}
