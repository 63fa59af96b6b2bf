import type { Page } from '@holdfast/specs/public';
import { and, desc, eq } from 'drizzle-orm';
import { olderThan, timePage } from '../cursor.ts';
import type { Queries } from '../queries.ts';
import { type PortRow, ports } from '../schema/ports.ts';

/**
 * The open ports of a session, newest first, also those that are closed by now.
 * @throws Problem `invalid-request` if the cursor is invalid.
 */
export async function listPorts(
  { orm }: Queries,
  { sessionId, limit, cursor }: { sessionId: string; limit: number; cursor?: string | undefined },
): Promise<Page<PortRow>> {
  const rows = await orm
    .select()
    .from(ports)
    .where(and(eq(ports.sessionId, sessionId), olderThan(cursor, ports)))
    .orderBy(desc(ports.createdAt), desc(ports.id))
    .limit(limit + 1);
  return timePage(rows, limit);
}
