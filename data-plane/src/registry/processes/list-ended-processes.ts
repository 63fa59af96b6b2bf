import type { Queries } from '../queries.ts';

type Ended = { sessionId: string; epoch: number; withinSeconds: number };

/** The ids of the processes of a sandbox whose ends were recorded not long ago. */
export async function listEndedProcesses(
  { sql }: Queries,
  { sessionId, epoch, withinSeconds }: Ended,
): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from processes
    where session_id = ${sessionId} and epoch = ${epoch} and finished_at > now() - ${withinSeconds} * interval '1 second'`;
  return rows.map(({ id }) => id);
}
