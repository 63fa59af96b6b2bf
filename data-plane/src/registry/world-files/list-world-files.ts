import type { Queries } from '../queries.ts';
import type { NewWorldFile } from './record-changes.ts';

/** A file of a world, or a link, which has a target. */
export type WorldFile = NewWorldFile & { executable: boolean };

/** The files and links of the session's world, by path. */
export async function listWorldFiles(db: Queries, { sessionId }: { sessionId: string }): Promise<WorldFile[]> {
  return await db.sql<WorldFile[]>`
    select
      path, encode(sha256, 'hex') as sha256, size::float8 as size, executable, ${knownMode(db)} as mode, ${knownTarget(db)} as target
    from world_files where session_id = ${sessionId} order by path`;
}

/**
 * The mode of a row of `world_files` or `snapshot_files`. A replica of an earlier version changes neither mode nor target, so a mode that contradicts
 * `executable` is of a file that was replaced, as is a target that is not the content.
 */
export const knownMode = ({ sql }: Pick<Queries, 'sql'>) =>
  sql`case when (substr(mode, 2, 1)::int % 2 = 1) = executable then mode end`;

export const knownTarget = ({ sql }: Pick<Queries, 'sql'>) =>
  sql`case when sha256 = sha256(convert_to(target, 'UTF8')) then target end`;
