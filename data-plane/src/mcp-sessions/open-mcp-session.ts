import { newId } from '@holdfast/specs/public';
import type { Database } from '../registry/connect.ts';
import { insertMcpSession } from '../registry/mcp-sessions/insert-mcp-session.ts';
import type { McpSessionRow } from '../registry/schema/mcp-sessions.ts';
import type { Caller } from '../sessions/caller.ts';

/** `sessionId` is the session in which its tools work, null before the first of them. */
export type McpSession = Pick<
  McpSessionRow,
  'id' | 'clientName' | 'sessionKey' | 'sessionId' | 'elicits' | 'cancelled'
>;

/** The MCP sessions of a tenant, on all replicas together. */
const perTenantMax = 1000;

type Open = { caller: Caller; clientName: string | null; sessionKey: string | null; elicits: boolean };

/** Opens the session of an MCP client. If the tenant has too many, the one that was not used for longest ends. */
export async function openMcpSession(
  { db }: { db: Database },
  { caller: { tenant, keyId }, ...client }: Open,
): Promise<McpSession> {
  return await insertMcpSession(db, { id: newId('mcp'), tenant, keyId, ...client, perTenantMax });
}
