import { and, eq, getTableColumns } from 'drizzle-orm';
import type { Queries } from '../queries.ts';
import { sessions } from '../schema/sessions.ts';
import { type SnapshotRow, snapshots } from '../schema/snapshots.ts';

/** The tenant's snapshot of this id; null if there is none. */
export async function findSnapshot(
  { orm }: Queries,
  { id, tenant }: { id: string; tenant: string },
): Promise<SnapshotRow | null> {
  const [snapshot] = await orm
    .select(getTableColumns(snapshots))
    .from(snapshots)
    .innerJoin(sessions, eq(sessions.id, snapshots.sessionId))
    .where(and(eq(snapshots.id, id), eq(sessions.tenant, tenant)));
  return snapshot ?? null;
}
