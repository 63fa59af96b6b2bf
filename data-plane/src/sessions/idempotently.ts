import { setTimeout as delay } from 'node:timers/promises';
import { Problem } from '@holdfast/specs/public';
import { AgentError } from '../agent/agent-error.ts';
import type { Seal } from '../keys/seal.ts';
import type { Database } from '../registry/connect.ts';
import { beginIdempotent, type IdempotentBegin } from '../registry/idempotency/begin-idempotent.ts';
import { finishIdempotent } from '../registry/idempotency/finish-idempotent.ts';
import { holdsIdempotent } from '../registry/idempotency/holds-idempotent.ts';
import { releaseIdempotent } from '../registry/idempotency/release-idempotent.ts';
import { withdrawIdempotent } from '../registry/idempotency/withdraw-idempotent.ts';
import type { Queries } from '../registry/queries.ts';

export type IdempotencyDependencies = { db: Database; seal: Seal; replicaId: string };

type FirstRequest = {
  tenant: string;
  key: string | undefined;
  /** A repeat must have the same: a label of the creation, and the parsed body. */
  request: unknown;
  /** The id of a new creation; one that was cut off continues under its first id. */
  newId: string;
};

/**
 * `resumed`: an earlier try may have made something. `hold` is for the transaction that makes it: another replica that has taken the key over may
 * have refused the request meanwhile.
 */
type First = { resumed: boolean; hold(tx: Queries): Promise<void> };

type Running = { fingerprint: Buffer; begun: Promise<boolean> };

/**
 * The keys this process is working on. If a row names this replica and is not among them, it was left behind: the reply to a write got
 * lost, or the end could not be written.
 */
const running = new Map<string, Running>();

/**
 * Does a creation once per `Idempotency-Key`: a repeat gets the first answer, which is stored sealed because it may hold a secret. If a
 * creation fails and certainly made nothing, the key is free again. If it may have made something, a repeat continues it (`resumed`), so
 * `create` must find whatever it made under the same id.
 * @throws Problem 422 if the key came with another request, 409 while the first request is still running
 */
export async function idempotently<Answer>(
  deps: IdempotencyDependencies,
  { tenant, key, request, newId }: FirstRequest,
  create: (id: string, first: First) => Promise<Answer>,
): Promise<Answer> {
  if (!key) return await create(newId, { resumed: false, hold: async () => {} });
  const { db, seal, replicaId } = deps;
  const fingerprint = seal.fingerprint(JSON.stringify(request));
  const own = { tenant, key, replicaId };
  const begin = () => beginIdempotent(db, { ...own, fingerprint, resourceId: newId });
  return await oneAtATime(JSON.stringify(own), fingerprint, begin, async (first) => {
    switch (first.state) {
      case 'mismatch':
        throw keyMismatch();
      case 'running':
        throw conflict();
      case 'done':
        return JSON.parse(await seal.open(first.response ?? ''));
    }
    const later: Later = (statement) => void repeatUntilDone(JSON.stringify(own), fingerprint, statement);
    const hold = async (tx: Queries) => {
      if (!(await holdsIdempotent(tx, own))) throw conflict();
    };
    return await createAndStore(deps, { own, later }, () =>
      create(first.resourceId, { resumed: first.state === 'resumed', hold }),
    );
  });
}

/** Requests with the same key run one at a time in this process. */
async function oneAtATime<Answer>(
  name: string,
  fingerprint: Buffer,
  begin: () => Promise<IdempotentBegin>,
  go: (first: IdempotentBegin) => Promise<Answer>,
): Promise<Answer> {
  for (let other = running.get(name); other; other = running.get(name)) {
    if (!(await other.begun)) continue;
    throw other.fingerprint.equals(fingerprint) ? conflict() : keyMismatch();
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

/** Does a statement again that has failed: as long as this replica lives, another one would take the first request for running. */
type Later = (statement: () => Promise<unknown>) => void;

const laterMs = 1000;
const laterTimesMax = 600;

async function repeatUntilDone(name: string, fingerprint: Buffer, statement: () => Promise<unknown>): Promise<void> {
  for (let times = 0; times < laterTimesMax; times++) {
    await delay(laterMs, undefined, { ref: false });
    // A repeat of the request has come to this process, and ends the key itself.
    if (running.has(name)) return;
    const ended = Promise.withResolvers<boolean>();
    running.set(name, { fingerprint, begun: ended.promise });
    try {
      await statement();
      return;
    } catch {
    } finally {
      running.delete(name);
      ended.resolve(false);
    }
  }
}

async function createAndStore<Answer>(
  { db, seal }: IdempotencyDependencies,
  { own, later }: { own: Own; later: Later },
  create: () => Promise<Answer>,
): Promise<Answer> {
  let answer: Answer;
  try {
    answer = await create();
  } catch (error) {
    const freeKey = madeNothing(error) ? withdrawIdempotent : releaseIdempotent;
    await freeKey(db, own).catch(() => later(() => freeKey(db, own)));
    throw error;
  }
  try {
    const response = await seal.close(JSON.stringify(answer));
    await finishIdempotent(db, { ...own, status: 201, response });
  } catch {
    // The creation succeeded, and the caller is told so; a repeat finds it under its id.
    await releaseIdempotent(db, own).catch(() => later(() => releaseIdempotent(db, own)));
  }
  return answer;
}

/** A refusal is certain. If the database failed or a connection was cut, the request may still have been carried out. */
function madeNothing(error: unknown): boolean {
  if (error instanceof AgentError) return error.kind === 'refused' || error.kind === 'undelivered';
  return error instanceof Problem;
}

export const keyMismatch = () =>
  new Problem('idempotency-mismatch', {
    detail: 'an earlier request with this Idempotency-Key was another one; send a new key with each new request',
  });

const conflict = () => new Problem('idempotency-conflict', { retryAfterSeconds: 1 });
