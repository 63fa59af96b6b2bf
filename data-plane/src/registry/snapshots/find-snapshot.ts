import { and, eq, getTableColumns, or } from 'drizzle-orm';
import type { Queries } from '../queries.ts';
import { sessions } from '../schema/sessions.ts';
import { type SnapshotRow, snapshots } from '../schema/snapshots.ts';

/** The tenant's snapshot of this id or name, of any session or of none; null if there is none. */
export async function findSnapshot(
  { orm }: Queries,
  { ref, tenant }: { ref: string; tenant: string },
): Promise<SnapshotRow | null> {
  const [snapshot] = await orm
    .select(getTableColumns(snapshots))
    .from(snapshots)
    .leftJoin(sessions, eq(sessions.id, snapshots.sessionId))
    .where(
      or(
        and(eq(snapshots.id, ref), or(eq(sessions.tenant, tenant), eq(snapshots.tenant, tenant))),
        and(eq(snapshots.name, ref), eq(snapshots.tenant, tenant)),
      ),
    );
  return snapshot ?? null;
}
