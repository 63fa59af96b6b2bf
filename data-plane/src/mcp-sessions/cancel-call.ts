import type { Database } from '../registry/connect.ts';
import { findCancelled } from '../registry/mcp-sessions/find-cancelled.ts';
import { markCancelled } from '../registry/mcp-sessions/mark-cancelled.ts';
import type { McpSession } from './open-mcp-session.ts';

/** A call may wait for its session for minutes. Later, a client may have begun to count its requests anew. */
const secondsMax = 600;
/** For each MCP session. */
const marksMax = 64;

/**
 * Leaves word that a call is cancelled, for the replica on which it runs or will run.
 * @returns the session in which the tools of the MCP session work by now
 */
export async function cancelCall(
  { db }: { db: Database },
  { mcp, key }: { mcp: McpSession; key: string },
): Promise<string | null> {
  return (await markCancelled(db, { id: mcp.id, key, secondsMax, marksMax })) ?? null;
}

/** The calls of these MCP sessions that were cancelled through any replica, by their keys. */
export async function listCancelledCalls({ db }: { db: Database }, { ids }: { ids: string[] }): Promise<string[]> {
  return await findCancelled(db, { ids, secondsMax });
}
