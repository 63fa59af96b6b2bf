import type { AgentClient } from '../../agent/agent-client.ts';
import type { Database } from '../../registry/connect.ts';
import { listBoundRoutes } from '../../registry/routes/list-bound-routes.ts';
import { listWarmSandboxes } from '../../registry/warm-sandboxes/list-warm-sandboxes.ts';
import type { Acknowledgements } from '../../sessions/acknowledgements.ts';

type DropDependencies = {
  db: Database;
  agents: Pick<AgentClient, 'disconnectIdleBut'>;
  acknowledgements: Pick<Acknowledgements, 'drop'>;
  processAcknowledgements: Pick<Acknowledgements, 'drop'>;
};

/**
 * Drops the idle connections and the waiting acknowledgements of sandboxes that another replica has removed. The warm ones are read first:
 * one that is bound between the two reads is then in both.
 */
export async function dropConnections(deps: DropDependencies): Promise<void> {
  const { db, agents, acknowledgements, processAcknowledgements } = deps;
  const warm = await listWarmSandboxes(db);
  const bound = await listBoundRoutes(db);
  const uids = new Set([...warm.flatMap(({ uid }) => uid ?? []), ...bound.map(({ sandboxUid }) => sandboxUid)]);
  for (const uid of agents.disconnectIdleBut(uids))
    for (const waiting of [acknowledgements, processAcknowledgements]) waiting.drop(uid);
}
