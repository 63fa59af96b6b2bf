import { and, eq, gte, isNull } from 'drizzle-orm';
import { fromNow } from '../clock.ts';
import type { Queries } from '../queries.ts';
import { replicaStaleSeconds } from '../replicas/beat-replica.ts';
import { idempotencyKeys } from '../schema/idempotency-keys.ts';
import { replicas } from '../schema/replicas.ts';

type BeginIdempotentInput = {
  tenant: string;
  key: string;
  /** SHA-256 of the creation's label and the parsed body. */
  fingerprint: Buffer;
  /** The replica that will answer. */
  replicaId: string;
  /** The id that this request gives its resource if it is the first. */
  resourceId: string;
};

/**
 * `new`: continue. `resumed`: continue with this resource id, under which an earlier try may have created something. `running`: a live
 * replica works on the first request and has no answer yet. `mismatch`: the first request was a different one. `done`: `response` is
 * the JWE of the answer.
 */
export type IdempotentBegin =
  | { state: 'new' | 'resumed'; resourceId: string }
  | { state: 'running' | 'mismatch' }
  | { state: 'done'; status: number; response: string | null };

/**
 * Records the key for this request, or returns the state of the first request with it. If several replicas call this at once, exactly
 * one may continue. The caller ensures that one replica does not begin a key twice at the same time.
 */
export async function beginIdempotent(db: Queries, input: BeginIdempotentInput): Promise<IdempotentBegin> {
  for (;;) {
    const [inserted] = await db.orm
      .insert(idempotencyKeys)
      .values(input)
      .onConflictDoNothing()
      .returning({ resourceId: idempotencyKeys.resourceId });
    if (inserted) return { state: 'new', ...inserted };
    const begun = await continueFirst(db, input);
    // Null: the key was withdrawn or changed replicas in between, so try again.
    if (begun) return begun;
  }
}

async function continueFirst(
  { orm }: Queries,
  { tenant, key, fingerprint, replicaId }: BeginIdempotentInput,
): Promise<IdempotentBegin | null> {
  const isFirst = and(eq(idempotencyKeys.tenant, tenant), eq(idempotencyKeys.key, key));
  const isAlive = and(
    eq(replicas.id, idempotencyKeys.replicaId),
    gte(replicas.heartbeatAt, fromNow(-replicaStaleSeconds)),
  );
  const [found] = await orm
    .select({ first: idempotencyKeys, aliveReplica: replicas.id })
    .from(idempotencyKeys)
    .leftJoin(replicas, isAlive)
    .where(isFirst);
  if (!found) return null;
  const { first, aliveReplica } = found;
  if (!first.fingerprint.equals(fingerprint)) return { state: 'mismatch' };
  if (first.status !== null) return { state: 'done', status: first.status, response: first.response };
  if (aliveReplica !== null && first.replicaId !== replicaId) return { state: 'running' };
  const sameReplica =
    first.replicaId === null ? isNull(idempotencyKeys.replicaId) : eq(idempotencyKeys.replicaId, first.replicaId);
  const [resumed] = await orm
    .update(idempotencyKeys)
    .set({ replicaId })
    .where(and(isFirst, sameReplica, isNull(idempotencyKeys.status)))
    .returning({ resourceId: idempotencyKeys.resourceId });
  return resumed ? { state: 'resumed', ...resumed } : null;
}
