import type { Queries } from '../queries.ts';
import type { ReadySandbox, SandboxOfSession } from './claim-warm-sandbox.ts';

/** The sandbox that the session has claimed for this epoch but is not bound to, or null. */
export async function findClaimedSandbox(
  { sql }: Queries,
  { sessionId, epoch }: SandboxOfSession,
): Promise<ReadySandbox | null> {
  const [claimed] = await sql<ReadySandbox[]>`
    select name, uid, node, endpoint, agent_public_key as "agentPublicKey" from warm_sandboxes
    where session_id = ${sessionId} and epoch = ${epoch}::int`;
  return claimed ?? null;
}
