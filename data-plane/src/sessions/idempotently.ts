import { createHash } from 'node:crypto';
import { Problem } from '@holdfast/specs';
import type { Seal } from '../agent/seal.ts';
import { beginIdempotent } from '../registry/begin-idempotent.ts';
import type { Database } from '../registry/connect.ts';
import { finishIdempotent } from '../registry/finish-idempotent.ts';
import { forgetIdempotent } from '../registry/forget-idempotent.ts';

export type IdempotencyDependencies = { db: Database; seal: Seal; replicaId: string };

type FirstRequest = {
  tenant: string;
  key: string | undefined;
  /** What must be the same in a repeat: route and body. */
  request: unknown;
  /** The id that the creation is going to have; a creation that a crash cut off goes on under the first one. */
  newId: string;
};

/**
 * Does a creation once per `Idempotency-Key`: a repeat gets the first one's answer, which is kept sealed because it may hold a
 * secret. A creation that fails leaves the key free.
 *
 * @throws Problem 422 where the key came with another request, 409 while the first is still running.
 */
export async function idempotently<Answer>(
  { db, seal, replicaId }: IdempotencyDependencies,
  { tenant, key, request, newId }: FirstRequest,
  create: (id: string) => Promise<Answer>,
): Promise<Answer> {
  if (!key) return await create(newId);
  const fingerprint = createHash('sha256').update(JSON.stringify(request)).digest();
  const first = await beginIdempotent(db, { tenant, key, fingerprint, replicaId, resourceId: newId });
  const own = { tenant, key, replicaId };
  switch (first.state) {
    case 'mismatch':
      throw new Problem('idempotency-mismatch');
    case 'running':
      throw new Problem('idempotency-conflict', { retryAfterSeconds: 1 });
    case 'done':
      return JSON.parse(await seal.open(first.response ?? ''));
  }
  try {
    const answer = await create(first.resourceId);
    const response = await seal.close(JSON.stringify(answer));
    await finishIdempotent(db, { ...own, status: 201, response });
    return answer;
  } catch (error) {
    await forgetIdempotent(db, own).catch(() => {});
    throw error;
  }
}
