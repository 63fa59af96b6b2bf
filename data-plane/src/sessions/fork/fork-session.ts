import { type Fork, type Forks, forkIds, newId, Problem, type Session } from '@holdfast/specs/public';
import type { InsertedSession } from '../../registry/sessions/insert-session.ts';
import type { Caller } from '../caller.ts';
import { type CreateSessionDependencies, findEarlierAttempt } from '../create/create-session.ts';
import { deleteSession } from '../delete-session.ts';
import { refuseUnlessActive } from '../existing-session.ts';
import { idempotently } from '../idempotently.ts';
import { sessionView } from '../session-view.ts';
import { startSandbox } from '../start-sandbox.ts';
import { hasSandbox } from '../status.ts';
import { type InsertForksDependencies, insertForks } from './insert-forks.ts';

export type ForkDependencies = CreateSessionDependencies & InsertForksDependencies;

type ForkInput = { caller: Caller; sessionId: string; request: Fork; idempotencyKey?: string | undefined };

/**
 * Starts sessions with the state and the files of another one, which does not change. Resolves when all of them are active.
 * @throws Problem as `insertForks` does, and 503 if a sandbox does not start: then none of the new sessions is left
 */
export async function forkSession(deps: ForkDependencies, input: ForkInput): Promise<Forks> {
  if (deps.isDraining()) throw new Problem('draining', { retryAfterSeconds: 1 });
  const { caller, sessionId, request, idempotencyKey: key } = input;
  const { tenant } = caller;
  const first = { tenant, key, request: ['fork session', sessionId, request], newId: newId('ses') };
  return await idempotently(deps, first, async (firstId, { resumed }) => {
    const ids = forkIds(firstId, request.count);
    const earlier = resumed ? await findEarlierForks(deps, ids) : [];
    const inserted = earlier.length > 0 ? earlier : await insertForks(deps, { ids, caller, sessionId, request });
    return await startForks(deps, { caller, inserted, isRepeatable: key !== undefined });
  });
}

/** The forks that an earlier attempt has inserted; none if it had not come so far. */
async function findEarlierForks(deps: ForkDependencies, ids: readonly string[]): Promise<InsertedSession[]> {
  const found = await Promise.all(ids.map((id) => findEarlierAttempt(deps, { id })));
  const earlier = found.filter((one) => one !== null);
  if (earlier.length > 0 && earlier.length < ids.length) {
    throw new Problem('session-ended', { detail: 'forks that the first request has made were deleted' });
  }
  return earlier;
}

type Starting = {
  caller: Caller;
  inserted: readonly InsertedSession[];
  /** Whether a repeat of the request can go on. */
  isRepeatable: boolean;
};

async function startForks(deps: ForkDependencies, { caller, inserted, isRepeatable }: Starting): Promise<Forks> {
  const started = await Promise.allSettled(inserted.map((one) => startFork(deps, one)));
  const failures = started.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
  if (failures.length === 0) {
    return { items: started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])) };
  }
  const unclear = failures.find(isUnclear);
  if (unclear && isRepeatable) throw unclear;
  await Promise.allSettled(inserted.map(({ session: { id } }) => deleteSession(deps, { caller, id })));
  const [cause] = failures;
  const reason = cause instanceof Problem ? cause.options : {};
  throw new Problem('sandbox-unreachable', {
    detail: `${failures.length} of ${inserted.length} new sessions did not start, and all of them were deleted: ${reason.detail ?? 'the start failed'}`,
    ...(reason.endReason && { endReason: reason.endReason }),
    retryAfterSeconds: reason.retryAfterSeconds ?? 5,
    cause,
  });
}

async function startFork(deps: ForkDependencies, { session, claimed }: InsertedSession): Promise<Session> {
  if (hasSandbox(session.status)) return await sessionView(deps.db, session);
  if (session.status !== 'creating') refuseUnlessActive(session);
  const env = session.env ? JSON.parse(await deps.seal.open(session.env)) : {};
  const active = await startSandbox(deps, { session, env, files: [], claimed });
  deps.onCreated(active);
  return await sessionView(deps.db, active);
}

/** Another replica starts the session by now, or the database did not say how it went. */
const isUnclear = (error: unknown) => !(error instanceof Problem) || error.slug === 'session-starting';
