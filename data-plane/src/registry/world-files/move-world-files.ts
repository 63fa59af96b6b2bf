import type { Queries } from '../queries.ts';
import { recountKeptBytes } from '../tenants/recount-kept-bytes.ts';
import type { WorldClaim } from './claim-world.ts';
import { directoriesOf } from './directories-of.ts';
import { releaseWorld } from './release-world.ts';
import { deletePathAndBelow } from './remove-world-files.ts';
import { directoryPathBytesMax, insertDirectories } from './world-directories.ts';

type MoveInput = { claim: WorldClaim; from: string; to: string };

/**
 * Moves the path and everything below it within the session's world, and releases the claim. Replaces `to`, and the files at the paths
 * of its directories. Moves nothing if one path is within the other.
 *
 * @returns false if the claim is no longer valid
 */
export async function moveWorldFiles({ transaction }: Queries, { claim, from, to }: MoveInput): Promise<boolean> {
  const { sessionId } = claim;
  return await transaction(async (tx) => {
    if (!(await releaseWorld(tx, claim))) return false;
    if (isWithin(from, to) || isWithin(to, from)) return true;
    await deletePathAndBelow(tx, { sessionId, path: to });
    await tx.sql`
      delete from world_files
      where session_id = ${sessionId} and path = any(${directoriesOf(to).filter((path) => path !== from)}::text[])`;
    const isMoved = tx.sql`session_id = ${sessionId} and (path = ${from} or (path > ${`${from}/`} and path < ${`${from}0`}))`;
    const moved = tx.sql`${to}::text || substr(path, ${[...from].length + 1}::int)`;
    await tx.sql`update world_files set path = ${moved}, updated_at = now() where ${isMoved}`;
    await tx.sql`delete from world_directories where ${isMoved} and octet_length(${moved}) > ${directoryPathBytesMax}`;
    await tx.sql`update world_directories set path = ${moved} where ${isMoved}`;
    await tx.sql`
      with session as (select ${sessionId}::text as id) ${insertDirectories(tx, directoriesOf(to))}`;
    await recountKeptBytes(tx, { sessionId });
    return true;
  });
}

const isWithin = (path: string, directory: string) => directory === '' || `${path}/`.startsWith(`${directory}/`);
