import type { Queries } from '../queries.ts';

/** The keys of the calls of these MCP sessions that were cancelled not too long ago. */
export async function findCancelled(
  { sql }: Queries,
  { ids, secondsMax }: { ids: string[]; secondsMax: number },
): Promise<string[]> {
  const rows = await sql<{ key: string }[]>`
    select mark ->> 'key' as key from mcp_sessions, jsonb_array_elements(cancelled) as marks (mark)
    where id = any(${ids}) and (mark ->> 'at')::timestamptz > now() - ${secondsMax}::float8 * interval '1 second'`;
  return rows.map(({ key }) => key);
}
