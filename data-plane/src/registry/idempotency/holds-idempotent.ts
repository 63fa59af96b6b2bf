import type { Queries } from '../queries.ts';

/** Whether this replica still works on the first request with this key. In a transaction: until its end no other replica can take the key over. */
export async function holdsIdempotent(
  { sql }: Queries,
  { tenant, key, replicaId }: { tenant: string; key: string; replicaId: string },
): Promise<boolean> {
  const { count } = await sql`
    select from idempotency_keys
    where tenant = ${tenant} and key = ${key} and replica_id = ${replicaId} and status is null for no key update`;
  return count > 0;
}
