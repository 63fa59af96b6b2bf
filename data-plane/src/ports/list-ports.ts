import type { Page, Port } from '@holdfast/specs/public';
import type { Database } from '../registry/connect.ts';
import { listPorts as listPortRows } from '../registry/ports/list-ports.ts';
import type { Caller } from '../sessions/caller.ts';
import { existingSession } from '../sessions/existing-session.ts';
import { needPreview, type PreviewDependencies } from './need-preview.ts';
import { portView } from './port-view.ts';

type ListInput = {
  caller: Caller;
  sessionId: string;
  /** The `Host` by which the client reaches the API. */
  apiHost: string | undefined;
  limit: number;
  cursor?: string | undefined;
};

/**
 * The ports of a session that were opened, newest first, also those that are closed by now.
 * @throws Problem 404, 410 (deleted session), 501
 */
export async function listPorts(
  deps: { db: Database } & PreviewDependencies,
  { caller, sessionId, apiHost, ...page }: ListInput,
): Promise<Page<Port>> {
  const hosts = needPreview(deps);
  await existingSession(deps.db, { id: sessionId, tenant: caller.tenant });
  const { items, nextCursor } = await listPortRows(deps.db, { sessionId, ...page });
  return { items: items.map((row) => portView(row, hosts.urlOf(row, apiHost))), nextCursor };
}
