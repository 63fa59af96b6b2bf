import { and, eq, isNull } from 'drizzle-orm';
import type { Queries } from '../queries.ts';
import { idempotencyKeys } from '../schema/idempotency-keys.ts';

/** Withdraws the key of a request that failed without creating anything, so that a repeat counts as the first request. */
export async function withdrawIdempotent(
  { orm }: Queries,
  { tenant, key, replicaId }: { tenant: string; key: string; replicaId: string },
): Promise<void> {
  await orm
    .delete(idempotencyKeys)
    .where(
      and(
        eq(idempotencyKeys.tenant, tenant),
        eq(idempotencyKeys.key, key),
        eq(idempotencyKeys.replicaId, replicaId),
        isNull(idempotencyKeys.status),
      ),
    );
}
