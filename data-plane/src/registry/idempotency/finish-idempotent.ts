import { and, eq, isNull } from 'drizzle-orm';
import type { Queries } from '../queries.ts';
import { idempotencyKeys } from '../schema/idempotency-keys.ts';

type FinishIdempotentInput = {
  tenant: string;
  key: string;
  replicaId: string;
  status: number;
  /** JWE of the answer's body, or null if it has none. */
  response: string | null;
};

/** Stores the answer for repeats. False if the key has passed to another replica. */
export async function finishIdempotent(
  { orm }: Queries,
  { tenant, key, replicaId, status, response }: FinishIdempotentInput,
): Promise<boolean> {
  const finished = await orm
    .update(idempotencyKeys)
    .set({ status, response, replicaId: null })
    .where(
      and(
        eq(idempotencyKeys.tenant, tenant),
        eq(idempotencyKeys.key, key),
        eq(idempotencyKeys.replicaId, replicaId),
        isNull(idempotencyKeys.status),
      ),
    )
    .returning({ key: idempotencyKeys.key });
  return finished.length > 0;
}
