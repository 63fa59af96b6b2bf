import type { Queries } from '../queries.ts';

/**
 * The names of claimed sandboxes whose sessions do not wait for them any more. With a bind the row goes, so these serve nobody.
 */
export async function listUnusedClaims({ sql }: Queries): Promise<string[]> {
  const forsaken = await sql<{ name: string }[]>`
    select name from warm_sandboxes
    where session_id is not null
      and not exists (select from sessions where sessions.id = session_id and sessions.status = 'creating')`;
  return forsaken.map(({ name }) => name);
}
