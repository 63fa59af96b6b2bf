import { Problem } from '@holdfast/specs/public';
import type { Database } from '../registry/connect.ts';
import { useMcpSession as useRow } from '../registry/mcp-sessions/use-mcp-session.ts';
import type { Caller } from '../sessions/caller.ts';
import { mcpSessionSeconds } from '../sessions/retention.ts';
import type { McpSession } from './open-mcp-session.ts';

/**
 * The MCP session of a request, which keeps it from ending.
 * @throws Problem 404 also if another key opened it
 */
export async function useMcpSession(
  { db }: { db: Database },
  { caller: { tenant, keyId }, id }: { caller: Caller; id: string },
): Promise<McpSession> {
  const session = await useRow(db, { id, tenant, keyId, unusedSecondsMax: mcpSessionSeconds });
  if (session) return session;
  throw new Problem('not-found', { detail: 'the MCP session has ended or never existed: initialize a new one' });
}
