import { and, desc, eq, isNotNull, ne } from 'drizzle-orm';
import type { Queries } from '../queries.ts';
import { type SessionSnapshotRow, snapshots } from '../schema/snapshots.ts';

/** The snapshots of a session that a client can restore, newest first. */
export async function listSnapshots(
  { orm }: Queries,
  { sessionId }: { sessionId: string },
): Promise<SessionSnapshotRow[]> {
  const { origin, sha256, createdAt, id } = snapshots;
  const rows = await orm
    .select()
    .from(snapshots)
    .where(and(eq(snapshots.sessionId, sessionId), isNotNull(sha256), ne(origin, 'base')))
    .orderBy(desc(createdAt), desc(id));
  return rows.map((row) => ({ ...row, sessionId }));
}
