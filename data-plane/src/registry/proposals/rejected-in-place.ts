import type { Queries } from '../queries.ts';

/** The paths of rejected changes that the working copy of a session may still have. */
export async function listRejectedInPlace({ sql }: Queries, { sessionId }: { sessionId: string }): Promise<string[]> {
  const rows = await sql<{ path: string }[]>`
    select distinct path from proposal_changes where session_id = ${sessionId} and is_in_place`;
  return rows.map(({ path }) => path);
}

/** The working copy has nothing any more of what was rejected. */
export async function noteAllPutBack(
  { sql }: Pick<Queries, 'sql'>,
  { sessionId }: { sessionId: string },
): Promise<void> {
  await sql`update proposal_changes set is_in_place = false where session_id = ${sessionId} and is_in_place`;
}
