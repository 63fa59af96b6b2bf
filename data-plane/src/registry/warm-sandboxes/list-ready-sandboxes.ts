import type { Queries } from '../queries.ts';
import type { ReadySandbox } from './claim-warm-sandbox.ts';

/** The sandboxes that a session may claim, of all pools: those that are claimed next come first. */
export async function listReadySandboxes({ sql }: Queries, { max }: { max: number }): Promise<ReadySandbox[]> {
  return await sql<ReadySandbox[]>`
    select name, uid, node, endpoint, agent_public_key as "agentPublicKey" from warm_sandboxes
    where session_id is null and ready_at is not null
    order by created_at limit ${max}::int`;
}
