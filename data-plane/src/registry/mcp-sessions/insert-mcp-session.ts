import type { Queries } from '../queries.ts';
import { type McpSessionRow, mcpSessions } from '../schema/mcp-sessions.ts';

type NewMcpSession = Pick<McpSessionRow, 'id' | 'tenant' | 'keyId' | 'clientName' | 'sessionKey'> &
  Partial<Pick<McpSessionRow, 'elicits'>>;

/** Any number; it keeps these locks apart from other advisory locks. */
const tenantLocks = 51;

/** Adds an MCP session. If the tenant then has more than `perTenantMax`, those that were not used for longest are deleted. */
export async function insertMcpSession(
  queries: Queries,
  { perTenantMax, ...session }: NewMcpSession & { perTenantMax: number },
): Promise<McpSessionRow> {
  return await queries.transaction(async ({ orm, sql }) => {
    await sql`select pg_advisory_xact_lock(${tenantLocks}, hashtext(${session.tenant}))`;
    const [row] = await orm.insert(mcpSessions).values(session).returning();
    if (!row) throw new Error(`MCP session ${session.id} was not inserted`);
    await sql`
      delete from mcp_sessions where id in (
        select id from mcp_sessions where tenant = ${session.tenant} and id <> ${session.id}
        order by last_used_at desc offset ${perTenantMax - 1}
        for update skip locked)`;
    return row;
  });
}
