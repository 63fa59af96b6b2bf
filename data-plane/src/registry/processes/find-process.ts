import { columnsOf } from '../columns-of.ts';
import type { Queries } from '../queries.ts';
import { type ProcessRow, processes } from '../schema/processes.ts';

const text = `select ${columnsOf(processes)} from processes where id = $1 and session_id = $2`;

export async function findProcess(
  { sql }: Queries,
  { sessionId, processId }: { sessionId: string; processId: string },
): Promise<ProcessRow | null> {
  const [row] = await sql.unsafe<ProcessRow[]>(text, [processId, sessionId], { prepare: true });
  return row ?? null;
}
