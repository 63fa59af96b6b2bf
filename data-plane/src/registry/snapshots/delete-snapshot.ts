import type { Queries } from '../queries.ts';
import { recountKeptBytes } from '../tenants/recount-kept-bytes.ts';

/** Deletes a snapshot of the session that a client asked for; false if there is none of this id. */
export async function deleteSnapshot(
  { transaction }: Queries,
  { sessionId, id }: { sessionId: string; id: string },
): Promise<boolean> {
  return await transaction(async (tx) => {
    await tx.sql`select from sessions where id = ${sessionId} for key share`;
    const { count } = await tx.sql`
      delete from snapshots where id = ${id} and session_id = ${sessionId} and origin = 'request'`;
    if (count > 0) await recountKeptBytes(tx, { sessionId });
    return count > 0;
  });
}
