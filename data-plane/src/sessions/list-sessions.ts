import type { ListOrder, Page, Session, SessionStatus } from '@holdfast/specs/public';
import type { Database } from '../registry/connect.ts';
import { listSessions as listSessionRows } from '../registry/sessions/list-sessions.ts';
import type { Caller } from './caller.ts';
import { sessionViews } from './session-view.ts';

type ListInput = {
  caller: Caller;
  statuses?: SessionStatus[];
  metadata?: Record<string, string>;
  clientKey?: string;
  createdAfter?: string;
  createdBefore?: string;
  order?: ListOrder;
  limit: number;
  cursor?: string;
};

/** The tenant's sessions by the time of their creation. */
export async function listSessions({ db }: { db: Database }, { caller, ...filter }: ListInput): Promise<Page<Session>> {
  const { items, nextCursor } = await listSessionRows(db, { tenant: caller.tenant, ...filter });
  return { items: await sessionViews(db, items), nextCursor };
}
