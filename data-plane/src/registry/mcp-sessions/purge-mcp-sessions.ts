import type { Queries } from '../queries.ts';

const portion = 2000;

/** Purges a portion of the MCP sessions that were not used for so long. @returns how many */
export async function purgeMcpSessions({ sql }: Queries, { seconds }: { seconds: number }): Promise<number> {
  const { count } = await sql`
    delete from mcp_sessions where id in (
      select id from mcp_sessions
      where last_used_at < now() - ${seconds}::float8 * interval '1 second' limit ${portion}
      for update skip locked)`;
  return count;
}
