import type { AgentClient } from '../../agent/agent-client.ts';
import type { Database } from '../../registry/connect.ts';
import { listBoundRoutes } from '../../registry/routes/list-bound-routes.ts';
import type { Acknowledgements } from '../../sessions/acknowledgements.ts';

type DropDependencies = {
  db: Database;
  agents: Pick<AgentClient, 'disconnectIdleBut'>;
  acknowledgements: Pick<Acknowledgements, 'drop'>;
};

/** Drops the idle connections and the waiting acknowledgements of sandboxes that another replica has removed. */
export async function dropConnections({ db, agents, acknowledgements }: DropDependencies): Promise<void> {
  const routes = await listBoundRoutes(db);
  const bound = new Set(routes.map(({ sandboxUid }) => sandboxUid));
  for (const uid of agents.disconnectIdleBut(bound)) acknowledgements.drop(uid);
}
