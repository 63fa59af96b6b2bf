import type { Database } from './connect.ts';

/** Removes the row of a step that provably did not start, so that its Idempotency-Key is free again. */
export async function withdrawStep(
  { sql }: Database,
  { id, replicaId }: { id: string; replicaId: string },
): Promise<void> {
  await sql`delete from steps where id = ${id} and replica_id = ${replicaId} and status in ('queued', 'running')`;
}
