import { eq } from 'drizzle-orm';
import type { Queries } from '../queries.ts';
import { mcpSessions } from '../schema/mcp-sessions.ts';

export async function deleteMcpSession({ orm }: Queries, { id }: { id: string }): Promise<void> {
  await orm.delete(mcpSessions).where(eq(mcpSessions.id, id));
}
