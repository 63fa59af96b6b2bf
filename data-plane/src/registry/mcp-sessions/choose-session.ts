import type { Queries } from '../queries.ts';
import type { McpSessionRow } from '../schema/mcp-sessions.ts';

type Choice = Pick<McpSessionRow, 'id' | 'sessionId'> & {
  /** Another request may choose at the same time: only the session that this one knew is replaced. */
  instead: string | null;
};

/** Sets the session in which the tools of an MCP session work. Returns the one that is set by now; undefined if the MCP session is gone. */
export async function chooseSession(
  { sql }: Queries,
  { id, sessionId, instead }: Choice,
): Promise<string | null | undefined> {
  const [chosen] = await sql<{ sessionId: string | null }[]>`
    update mcp_sessions
    set session_id = case when session_id is not distinct from ${instead} then ${sessionId} else session_id end
    where id = ${id} returning session_id as "sessionId"`;
  return chosen?.sessionId;
}
