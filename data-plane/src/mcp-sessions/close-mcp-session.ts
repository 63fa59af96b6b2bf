import type { Database } from '../registry/connect.ts';
import { deleteMcpSession } from '../registry/mcp-sessions/delete-mcp-session.ts';
import { listSessions } from '../registry/sessions/list-sessions.ts';
import { liveStatuses } from '../registry/sessions/live-statuses.ts';
import type { Caller } from '../sessions/caller.ts';
import type { EndDependencies } from '../sessions/end-and-fence.ts';
import { endSession } from '../sessions/end-session.ts';
import type { McpSession } from './open-mcp-session.ts';
import { isSharedKey, ownMetadata } from './own-session.ts';

type CloseDependencies = EndDependencies & { db: Database; background(work: Promise<unknown>): void };

/** More than these end by their own deadlines. */
const endedMax = 100;

/** Ends an MCP session, and the sessions that it has for itself. Those with a name that others may know live on. */
export async function closeMcpSession(
  deps: CloseDependencies,
  { caller, mcp }: { caller: Caller; mcp: McpSession },
): Promise<void> {
  const { items } = await listSessions(deps.db, {
    tenant: caller.tenant,
    statuses: [...liveStatuses],
    metadata: ownMetadata(mcp),
    limit: endedMax,
  });
  await deleteMcpSession(deps.db, { id: mcp.id });
  for (const { id, clientKey } of items) {
    if (!isSharedKey(clientKey)) deps.background(endSession(deps, { caller, id, to: 'completed' }));
  }
}
