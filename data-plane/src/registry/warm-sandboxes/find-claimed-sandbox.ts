import type { Queries } from '../queries.ts';
import type { MetSandbox } from './claim-warm-sandbox.ts';

/** The sandbox that the session has claimed and is not bound to, or null. */
export async function findClaimedSandbox(
  { sql }: Queries,
  { sessionId }: { sessionId: string },
): Promise<MetSandbox | null> {
  const [claimed] = await sql<MetSandbox[]>`
    select name, uid, node, endpoint, agent_public_key as "agentPublicKey" from warm_sandboxes where session_id = ${sessionId}`;
  return claimed ?? null;
}
