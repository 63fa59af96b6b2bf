import type { ListedSnapshot, Page } from '@holdfast/specs/public';
import type { Database } from '../../registry/connect.ts';
import { listNamedSnapshots as list } from '../../registry/snapshots/list-named-snapshots.ts';
import type { Caller } from '../../sessions/caller.ts';

type ListInput = { caller: Caller; limit: number; cursor?: string | undefined };

/**
 * The tenant's snapshots that have a name, by name.
 * @throws Problem 400 if the cursor is not from an earlier page
 */
export async function listNamedSnapshots(
  { db }: { db: Database },
  { caller, ...page }: ListInput,
): Promise<Page<ListedSnapshot>> {
  return await list(db, { tenant: caller.tenant, ...page });
}
