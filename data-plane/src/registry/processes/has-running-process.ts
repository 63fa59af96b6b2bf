import type { Queries } from '../queries.ts';

/** Whether the end of a process of a session's sandbox is not recorded. */
export async function hasRunningProcess(
  { sql }: Queries,
  { sessionId, epoch }: { sessionId: string; epoch: number },
): Promise<boolean> {
  const { count } = await sql`
    select from processes where session_id = ${sessionId} and epoch = ${epoch} and replica_id is not null limit 1`;
  return count > 0;
}
