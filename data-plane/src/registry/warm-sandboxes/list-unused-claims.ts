import type { Queries } from '../queries.ts';

/** The names of claimed sandboxes whose sessions no longer wait for them. The bind deletes the row, so these sandboxes serve no session. */
export async function listUnusedClaims({ sql }: Queries): Promise<string[]> {
  const unused = await sql<{ name: string }[]>`
    select name from warm_sandboxes
    where session_id is not null
      and not exists (select from sessions where sessions.id = session_id and sessions.status = 'creating')`;
  return unused.map(({ name }) => name);
}
