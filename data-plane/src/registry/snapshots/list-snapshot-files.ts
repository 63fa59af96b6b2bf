import type { Queries } from '../queries.ts';
import type { NewWorldFile } from '../world-files/record-changes.ts';

/** The files that belong to a snapshot, by path. */
export async function listSnapshotFiles(
  { sql }: Queries,
  { snapshotId }: { snapshotId: string },
): Promise<NewWorldFile[]> {
  return await sql<NewWorldFile[]>`
    select path, encode(sha256, 'hex') as sha256, size::float8 as size from snapshot_files
    where snapshot_id = ${snapshotId} order by path`;
}
