import type { Page, ProcessStatus } from '@holdfast/specs/public';
import { and, eq, getTableColumns, gt } from 'drizzle-orm';
import { decodeNumberCursor, encodeCursor } from '../cursor.ts';
import type { Queries } from '../queries.ts';
import { type ProcessRow, processes } from '../schema/processes.ts';

type ListInput = { sessionId: string; limit: number; cursor?: string | undefined; status?: ProcessStatus | undefined };

const { log: _, ...listed } = getTableColumns(processes);

/**
 * A page of the processes of a session, by number, without their output.
 * @throws Problem `invalid-request` if the cursor is invalid
 */
export async function listProcesses(
  { orm }: Queries,
  { sessionId, limit, cursor, status }: ListInput,
): Promise<Page<Omit<ProcessRow, 'log'>>> {
  const rows = await orm
    .select(listed)
    .from(processes)
    .where(
      and(
        eq(processes.sessionId, sessionId),
        cursor === undefined ? undefined : gt(processes.number, decodeNumberCursor(cursor)),
        status && eq(processes.status, status),
      ),
    )
    .orderBy(processes.number)
    .limit(limit + 1);
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, nextCursor: last && rows.length > limit ? encodeCursor([last.number]) : null };
}
