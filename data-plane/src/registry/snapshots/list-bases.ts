import { and, eq } from 'drizzle-orm';
import type { Queries } from '../queries.ts';
import { type SnapshotRow, snapshots } from '../schema/snapshots.ts';

/** The points at which contexts of a session began with the state of another snapshot, or anew; one for each such context. */
export async function listBases({ orm }: Queries, { sessionId }: { sessionId: string }): Promise<SnapshotRow[]> {
  return orm
    .select()
    .from(snapshots)
    .where(and(eq(snapshots.sessionId, sessionId), eq(snapshots.origin, 'base')));
}
