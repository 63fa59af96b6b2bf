import { and, eq, isNull } from 'drizzle-orm';
import type { Queries } from '../queries.ts';
import { idempotencyKeys } from '../schema/idempotency-keys.ts';

/** Frees the key of a request that has failed without making anything, so that a repeat is a first one. */
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
