import { and, eq, gt, sql } from 'drizzle-orm';
import { fromNow, now } from '../clock.ts';
import type { Queries } from '../queries.ts';
import { type McpSessionRow, mcpSessions } from '../schema/mcp-sessions.ts';

type Use = Pick<McpSessionRow, 'id' | 'tenant' | 'keyId'> & { unusedSecondsMax: number };

/** Notes that an MCP session is used. Null unless it is of this tenant and key and was used not too long ago. */
export async function useMcpSession(
  { orm }: Queries,
  { id, tenant, keyId, unusedSecondsMax }: Use,
): Promise<McpSessionRow | null> {
  const [row] = await orm
    .update(mcpSessions)
    .set({ lastUsedAt: now })
    .where(
      and(
        eq(mcpSessions.id, id),
        eq(mcpSessions.tenant, tenant),
        sql`${mcpSessions.keyId} is not distinct from ${keyId}`,
        gt(mcpSessions.lastUsedAt, fromNow(-unusedSecondsMax)),
      ),
    )
    .returning();
  return row ?? null;
}
