import type { Queries } from '../queries.ts';

/** Deletes the rows of a step that provably did not start, and of its inputs, so that its Idempotency-Key can be used again. */
export async function withdrawStep(
  { sql }: Queries,
  { id, replicaId }: { id: string; replicaId: string },
): Promise<void> {
  await sql`
    with withdrawn as (
      delete from steps where id = ${id} and replica_id = ${replicaId} and status in ('queued', 'running')
      returning id, session_id, octet_length(code) as bytes
    ), counted as (
      update sessions set history_bytes = history_bytes - bytes from withdrawn where sessions.id = session_id
    )
    delete from artifacts using withdrawn where step_id = withdrawn.id`;
}
