import { and, eq, gte, isNull } from 'drizzle-orm';
import { fromNow } from '../clock.ts';
import type { Queries } from '../queries.ts';
import { replicaStaleSeconds } from '../replicas/replica-stale-seconds.ts';
import { idempotencyKeys } from '../schema/idempotency-keys.ts';
import { replicas } from '../schema/replicas.ts';

type BeginIdempotentInput = {
  tenant: string;
  key: string;
  /** SHA-256 of the creation's label and the parsed body. */
  fingerprint: Buffer;
  /** The replica that will answer. */
  replicaId: string;
  /** What this request will make if it is the first. */
  resourceId: string;
};

/**
 * `new`: go on. `resumed`: go on with this resource id, under which an earlier try may have made something.
 * `running`: another replica that is alive has the first request and no answer yet. `mismatch`: it was another request. `done`: `response` is the answer's JWE.
 */
export type IdempotentBegin =
  | { state: 'new' | 'resumed'; resourceId: string }
  | { state: 'running' | 'mismatch' }
  | { state: 'done'; status: number; response: string | null };

/**
 * Takes the key for this request, or says what became of the first one. Of replicas at once exactly one may
 * go on; that one replica begins a key once at a time is up to the caller.
 */
export async function beginIdempotent(db: Queries, input: BeginIdempotentInput): Promise<IdempotentBegin> {
  for (;;) {
    const [taken] = await db.orm
      .insert(idempotencyKeys)
      .values(input)
      .onConflictDoNothing()
      .returning({ resourceId: idempotencyKeys.resourceId });
    if (taken) return { state: 'new', ...taken };
    const begun = await continueFirst(db, input);
    // Null: the first request's key went or changed hands in between, so the question is asked anew.
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
