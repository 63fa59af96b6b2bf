import { Problem } from '@holdfast/specs/public';
import type { Database } from '../registry/connect.ts';
import { chooseSession as chooseRow } from '../registry/mcp-sessions/choose-session.ts';
import type { McpSession } from './open-mcp-session.ts';

/**
 * Sets the session in which the tools of an MCP session work, unless another request has set one since `mcp` was read. Returns the one
 * that is set by now.
 * @throws Problem 404 if the MCP session has ended
 */
export async function chooseSession(
  { db }: { db: Database },
  { mcp, sessionId }: { mcp: McpSession; sessionId: string | null },
): Promise<string | null> {
  const chosen = await chooseRow(db, { id: mcp.id, sessionId, instead: mcp.sessionId });
  if (chosen === undefined) throw new Problem('not-found', { detail: 'the MCP session has ended' });
  return chosen;
}
