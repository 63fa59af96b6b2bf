import { Problem } from '@holdfast/specs/public';
import { AgentError } from '../agent/agent-error.ts';
import type { Seal } from '../keys/seal.ts';
import type { Database } from '../registry/connect.ts';
import { beginIdempotent, type IdempotentBegin } from '../registry/idempotency/begin-idempotent.ts';
import { finishIdempotent } from '../registry/idempotency/finish-idempotent.ts';
import { releaseIdempotent } from '../registry/idempotency/release-idempotent.ts';
import { withdrawIdempotent } from '../registry/idempotency/withdraw-idempotent.ts';

export type IdempotencyDependencies = { db: Database; seal: Seal; replicaId: string };

type FirstRequest = {
  tenant: string;
  key: string | undefined;
  /** What must be the same in a repeat: a label of the creation, and the parsed body. */
  request: unknown;
  /** The id that the creation is going to have; a creation that was cut off goes on under the first one. */
  newId: string;
};

type Running = { fingerprint: Buffer; begun: Promise<boolean> };

/**
 * The keys whose creations this process is at. A row that names this replica and is none of them was left behind: the reply to a
 * write got lost, or the end could not be written.
 */
const running = new Map<string, Running>();

/**
 * Does a creation once per `Idempotency-Key`: a repeat gets the first one's answer, which is kept sealed because it may hold a
 * secret. A creation that made nothing leaves the key free; one that may have made something is gone on with by a repeat
 * (`resumed`), so `create` has to find what it made under the same id.
 *
 * @throws Problem 422 where the key came with another request, 409 while the first is still running.
 */
export async function idempotently<Answer>(
  deps: IdempotencyDependencies,
  { tenant, key, request, newId }: FirstRequest,
  create: (id: string, first: { resumed: boolean }) => Promise<Answer>,
): Promise<Answer> {
  if (!key) return await create(newId, { resumed: false });
  const { db, seal, replicaId } = deps;
  const fingerprint = seal.fingerprint(JSON.stringify(request));
  const own = { tenant, key, replicaId };
  const begin = () => beginIdempotent(db, { ...own, fingerprint, resourceId: newId });
  return await once(JSON.stringify(own), fingerprint, begin, async (first) => {
    switch (first.state) {
      case 'mismatch':
        throw new Problem('idempotency-mismatch');
      case 'running':
        throw conflict();
      case 'done':
        return JSON.parse(await seal.open(first.response ?? ''));
    }
    return await make(deps, own, () => create(first.resourceId, { resumed: first.state === 'resumed' }));
  });
}

/** Of requests with one key, this process is at one at a time. */
async function once<Answer>(
  name: string,
  fingerprint: Buffer,
  begin: () => Promise<IdempotentBegin>,
  go: (first: IdempotentBegin) => Promise<Answer>,
): Promise<Answer> {
  for (let other = running.get(name); other; other = running.get(name)) {
    if (!(await other.begun)) continue;
    throw other.fingerprint.equals(fingerprint) ? conflict() : new Problem('idempotency-mismatch');
  }
  const beginning = begin();
  const begun = beginning.then(
    ({ state }) => state === 'new' || state === 'resumed',
    () => false,
  );
  running.set(name, { fingerprint, begun });
  try {
    return await go(await beginning);
  } finally {
    running.delete(name);
  }
}

type Own = { tenant: string; key: string; replicaId: string };

async function make<Answer>(
  { db, seal }: IdempotencyDependencies,
  own: Own,
  create: () => Promise<Answer>,
): Promise<Answer> {
  let answer: Answer;
  try {
    answer = await create();
  } catch (error) {
    const leave = madeNothing(error) ? withdrawIdempotent : releaseIdempotent;
    await leave(db, own).catch(() => {});
    throw error;
  }
  try {
    const response = await seal.close(JSON.stringify(answer));
    await finishIdempotent(db, { ...own, status: 201, response });
  } catch {
    // It is made, which is what the caller is to be told; a repeat finds it under its id.
    await releaseIdempotent(db, own).catch(() => {});
  }
  return answer;
}

/** A refusal is certain; a failing database or a connection that was cut may have done what was asked. */
function madeNothing(error: unknown): boolean {
  if (error instanceof AgentError) return error.kind === 'refused' || error.kind === 'undelivered';
  return error instanceof Problem;
}

const conflict = () => new Problem('idempotency-conflict', { retryAfterSeconds: 1 });
