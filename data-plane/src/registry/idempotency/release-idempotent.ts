import { and, eq, isNull } from 'drizzle-orm';
import type { Queries } from '../queries.ts';
import { idempotencyKeys } from '../schema/idempotency-keys.ts';

/** Lets a repeat on any replica continue the work that this replica began. */
export async function releaseIdempotent(
  { orm }: Queries,
  { tenant, key, replicaId }: { tenant: string; key: string; replicaId: string },
): Promise<void> {
  await orm
    .update(idempotencyKeys)
    .set({ replicaId: null })
    .where(
      and(
        eq(idempotencyKeys.tenant, tenant),
        eq(idempotencyKeys.key, key),
        eq(idempotencyKeys.replicaId, replicaId),
        isNull(idempotencyKeys.status),
      ),
    );
}
