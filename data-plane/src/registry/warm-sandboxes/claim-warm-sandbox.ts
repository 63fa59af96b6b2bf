import type { Network } from '@holdfast/specs/public';
import type postgres from 'postgres';
import type { Queries } from '../queries.ts';
import type { RouteRow } from '../schema/session-routes.ts';

/** The sandboxes that a session may claim. */
export type WarmSandboxCriteria = {
  profile: string;
  network: Network;
  template: string;
  /** An older sandbox is about to end by itself. */
  ageSecondsMax: number;
};

/** One epoch of a session. */
export type SandboxOfSession = { sessionId: string; epoch: number };

/** A sandbox whose agent has answered at its address and proved that it holds the private key. */
export type ReadySandbox = { name: string; uid: string } & Pick<RouteRow, 'node' | 'endpoint' | 'agentPublicKey'>;

type ClaimInput = WarmSandboxCriteria & SandboxOfSession;

/** Claims a warm sandbox; null if there is none. */
export async function claimWarmSandbox({ sql }: Queries, input: ClaimInput): Promise<ReadySandbox | null> {
  const [claimed] = await claimStatement(sql, input);
  return claimed ?? null;
}

/**
 * Claims the oldest ready sandbox for this epoch of the session. No row if none is ready or the session waits for no sandbox in it. This is one statement:
 * each of several claims at once locks a different row and skips those that are locked.
 */
export function claimStatement(
  sql: postgres.ISql,
  { sessionId, epoch, profile, network, template, ageSecondsMax }: ClaimInput,
): postgres.PendingQuery<ReadySandbox[]> {
  return sql<ReadySandbox[]>`
    update warm_sandboxes set session_id = ${sessionId}, epoch = ${epoch}::int, claimed_at = now()
    where name = (
      select name from warm_sandboxes
      where profile = ${profile} and network = ${network} and template = ${template}
        and session_id is null and ready_at is not null
        and created_at > now() - ${ageSecondsMax}::float8 * interval '1 second'
      order by created_at limit 1 for update skip locked
    ) and exists (select from sessions where id = ${sessionId} and epoch = ${epoch}::int and status in ('creating', 'recovering', 'resuming'))
    returning name, uid, node, endpoint, agent_public_key as "agentPublicKey"`;
}
