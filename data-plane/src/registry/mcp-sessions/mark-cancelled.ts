import type { Queries } from '../queries.ts';

type Mark = { id: string; key: string; secondsMax: number; marksMax: number };

/**
 * Marks a call of an MCP session as cancelled, for the replica on which it runs or will run. Marks that are old, and those beyond
 * `marksMax`, are forgotten.
 * @returns the session in which the tools work by now; undefined if the MCP session is gone
 */
export async function markCancelled(
  { sql }: Queries,
  { id, key, secondsMax, marksMax }: Mark,
): Promise<string | null | undefined> {
  const [marked] = await sql<{ sessionId: string | null }[]>`
    update mcp_sessions set cancelled = (
      select jsonb_agg(mark order by place) from (
        select mark, place
        from jsonb_array_elements(cancelled || jsonb_build_object('key', ${key}::text, 'at', now()))
          with ordinality as marks (mark, place)
        where (mark ->> 'at')::timestamptz > now() - ${secondsMax}::float8 * interval '1 second'
        order by place desc limit ${marksMax}) as kept)
    where id = ${id} returning session_id as "sessionId"`;
  return marked?.sessionId;
}
