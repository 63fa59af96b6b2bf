import type { Queries } from '../queries.ts';
import { recountKeptBytes } from '../tenants/recount-kept-bytes.ts';
import type { WorldClaim } from './claim-world.ts';
import { releaseWorld } from './release-world.ts';

/** Removes the path and everything below it from the session's world, and releases the claim. False if the claim is no longer valid. */
export async function removeWorldFiles(
  { transaction }: Queries,
  { claim, path }: { claim: WorldClaim; path: string },
): Promise<boolean> {
  return await transaction(async (tx) => {
    if (!(await releaseWorld(tx, claim))) return false;
    await deletePathAndBelow(tx, { sessionId: claim.sessionId, path });
    await recountKeptBytes(tx, claim);
    return true;
  });
}

/** The empty path is the workspace. Paths are ordered by bytes, and `0` follows `/`. */
export async function deletePathAndBelow(
  { sql }: Queries,
  { sessionId, path }: { sessionId: string; path: string },
): Promise<void> {
  const isThere = sql`
    session_id = ${sessionId} and (${path} = '' or path = ${path} or (path > ${`${path}/`} and path < ${`${path}0`}))`;
  await sql`delete from world_files where ${isThere}`;
  await sql`delete from world_directories where ${isThere}`;
}
