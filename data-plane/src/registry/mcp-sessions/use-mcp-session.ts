import { and, eq, gt, lt, sql } from 'drizzle-orm';
import { fromNow, now } from '../clock.ts';
import type { Queries } from '../queries.ts';
import { type McpSessionRow, mcpSessions } from '../schema/mcp-sessions.ts';

type Use = Pick<McpSessionRow, 'id' | 'tenant' | 'keyId'> & { unusedSecondsMax: number };

/** A client may send many messages, and the time of its last one is in two indexes. */
const notedSeconds = 60;

/** Notes that an MCP session is used, once a minute. Null unless it is of this tenant and key and was used not too long ago. */
export async function useMcpSession(
  { orm }: Queries,
  { id, tenant, keyId, unusedSecondsMax }: Use,
): Promise<McpSessionRow | null> {
  const isUsable = and(
    eq(mcpSessions.id, id),
    eq(mcpSessions.tenant, tenant),
    sql`${mcpSessions.keyId} is not distinct from ${keyId}`,
    gt(mcpSessions.lastUsedAt, fromNow(-unusedSecondsMax)),
  );
  const isOld = sql<boolean>`${lt(mcpSessions.lastUsedAt, fromNow(-notedSeconds))}`;
  const [found] = await orm.select({ row: mcpSessions, isOld }).from(mcpSessions).where(isUsable);
  if (!found?.isOld) return found?.row ?? null;
  const [noted] = await orm.update(mcpSessions).set({ lastUsedAt: now }).where(isUsable).returning();
  return noted ?? null;
}
