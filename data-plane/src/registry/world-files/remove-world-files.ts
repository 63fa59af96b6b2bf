import type { Queries } from '../queries.ts';
import { recountKeptBytes } from '../tenants/recount-kept-bytes.ts';
import type { WorldClaim } from './claim-world.ts';
import { releaseWorld } from './release-world.ts';

/**
 * Removes the path and everything below it from the session's world, and releases the claim. Null if the claim is no longer valid. `nothing`:
 * the world had nothing there.
 */
export async function removeWorldFiles(
  { transaction }: Queries,
  { claim, path }: { claim: WorldClaim; path: string },
): Promise<'removed' | 'nothing' | null> {
  return await transaction(async (tx) => {
    if (!(await releaseWorld(tx, claim))) return null;
    const count = await deletePathAndBelow(tx, { sessionId: claim.sessionId, path });
    await recountKeptBytes(tx, claim);
    return count > 0 ? 'removed' : 'nothing';
  });
}

/**
 * The empty path is the workspace. Paths are ordered by bytes, and `0` follows `/`.
 * @returns how many files and directories there were
 */
export async function deletePathAndBelow(
  { sql }: Queries,
  { sessionId, path }: { sessionId: string; path: string },
): Promise<number> {
  const isThere = sql`
    session_id = ${sessionId} and (${path} = '' or path = ${path} or (path > ${`${path}/`} and path < ${`${path}0`}))`;
  const files = await sql`delete from world_files where ${isThere}`;
  const directories = await sql`delete from world_directories where ${isThere}`;
  return files.count + directories.count;
}
