import { type SQL, sql } from 'drizzle-orm';
import type { Queries } from '../queries.ts';
import { type SnapshotRow, snapshots } from '../schema/snapshots.ts';

/** The latest snapshot of each context of a session. */
export async function listLatestSnapshots(
  { orm }: Queries,
  { sessionId }: { sessionId: string },
): Promise<SnapshotRow[]> {
  return orm
    .selectDistinctOn([snapshots.contextId])
    .from(snapshots)
    .where(sql`${snapshots.sessionId} = ${sessionId}`)
    .orderBy(snapshots.contextId, ...latestFirst);
}

/** Code that runs on between two steps changes a state without a count. */
const latestFirst: SQL[] = [
  snapshots.epoch,
  snapshots.contextEpoch,
  snapshots.executionCount,
  snapshots.silentCount,
  snapshots.createdAt,
].map((column) => sql`${column} desc`);
