import type { Queries } from '../queries.ts';

/** Removes the row of a step that provably did not start, so that its Idempotency-Key is free again, and what was noted of its inputs. */
export async function withdrawStep(
  { sql }: Queries,
  { id, replicaId }: { id: string; replicaId: string },
): Promise<void> {
  await sql`
    with withdrawn as (
      delete from steps where id = ${id} and replica_id = ${replicaId} and status in ('queued', 'running') returning id
    )
    delete from artifacts using withdrawn where step_id = withdrawn.id`;
}
