import type { Queries } from '../queries.ts';
import { knownMode, knownTarget, type WorldFile } from '../world-files/list-world-files.ts';

/** The files that belong to a snapshot, by path. */
export async function listSnapshotFiles(db: Queries, { snapshotId }: { snapshotId: string }): Promise<WorldFile[]> {
  return await db.sql<WorldFile[]>`
    select
      path, encode(sha256, 'hex') as sha256, size::float8 as size, executable, ${knownMode(db)} as mode, ${knownTarget(db)} as target
    from snapshot_files where snapshot_id = ${snapshotId} order by path`;
}

/** The directories that belong to a snapshot, by path. */
export async function listSnapshotDirectories(
  { sql }: Queries,
  { snapshotId }: { snapshotId: string },
): Promise<string[]> {
  const rows = await sql<{ path: string }[]>`
    select path from snapshot_directories where snapshot_id = ${snapshotId} order by path`;
  return rows.map(({ path }) => path);
}
