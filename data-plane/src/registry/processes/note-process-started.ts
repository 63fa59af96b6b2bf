import type { Queries } from '../queries.ts';
import type { ProcessRow } from '../schema/processes.ts';

type Started = Pick<ProcessRow, 'id' | 'pid' | 'cwd'> & { replicaId: string };

/** Records what only the sandbox could tell, of a process that this replica follows. */
export async function noteProcessStarted({ sql }: Queries, { id, replicaId, pid, cwd }: Started): Promise<void> {
  await sql`
    update processes set pid = ${pid}::int, cwd = ${cwd}
    where id = ${id} and replica_id = ${replicaId} and status = 'running'`;
}
