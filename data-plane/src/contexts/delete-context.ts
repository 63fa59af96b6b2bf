import type { AgentClient } from '../agent/agent-client.ts';
import { entryOf } from '../policy/audit/asked-by.ts';
import { recordAudit } from '../registry/audit/record-audit.ts';
import type { Database } from '../registry/connect.ts';
import { markContextDeleted } from '../registry/contexts/mark-context-deleted.ts';
import { agentProblem } from '../sessions/agent-problem.ts';
import type { Caller } from '../sessions/caller.ts';
import type { Routes } from '../sessions/sandbox-routes.ts';

type DeleteDependencies = {
  db: Database;
  agents: Pick<AgentClient, 'call'>;
  routes: Pick<Routes, 'resolve'>;
  hint(sessionId: string): void;
};

type ContextKey = { caller: Caller; sessionId: string; contextId: string };

/**
 * Deletes a context and ends its kernel. Its history stays.
 * @throws Problem 404, 410 (also if it was deleted before), 502, 503
 */
export async function deleteContext(
  deps: DeleteDependencies,
  { caller, sessionId, contextId }: ContextKey,
): Promise<void> {
  const route = await deps.routes.resolve({ sessionId, tenant: caller.tenant });
  await deps.agents.call(route, { method: 'DELETE', path: `/v1/contexts/${contextId}` }).catch((error) => {
    throw agentProblem(deps, { sessionId, error });
  });
  await deps.db.transaction(async (tx) => {
    const isDeleted = await markContextDeleted(tx, { sessionId, contextId });
    if (isDeleted) await recordAudit(tx, entryOf(caller, sessionId, { operation: 'context.delete', contextId }));
  });
}
