import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type CreateSession, type InlineFile, newId, Problem, type Session } from '@holdfast/specs/public';
import { askedBy } from '../../policy/audit/asked-by.ts';
import { ownBudget, sharedBudget } from '../../policy/budgets/first-budget.ts';
import { isBudgetGone } from '../../registry/database-error.ts';
import { resumeLaunch } from '../../registry/sandboxes/resume-launch.ts';
import type { SessionRow } from '../../registry/schema/sessions.ts';
import { findByClientKey } from '../../registry/sessions/find-by-client-key.ts';
import { findSession } from '../../registry/sessions/find-session.ts';
import { type InsertedSession, insertSession } from '../../registry/sessions/insert-session.ts';
import { findClaimedSandbox } from '../../registry/warm-sandboxes/find-claimed-sandbox.ts';
import type { Caller } from '../caller.ts';
import { startGraceSeconds } from '../deadlines.ts';
import { existingSession, refuseUnlessActive } from '../existing-session.ts';
import { type IdempotencyDependencies, idempotently } from '../idempotently.ts';
import { sessionView } from '../session-view.ts';
import type { AssignedSandbox } from '../start/assign-session.ts';
import { beginAssignment } from '../start/begin-assignment.ts';
import { type RoomDependencies, refuseBeyondRoom } from '../start/refuse-beyond-room.ts';
import { type StartDependencies, startSandbox } from '../start-sandbox.ts';
import { hasSandbox } from '../status.ts';
import { choosePolicy, chooseTerms, type Terms } from './choose-terms.ts';
import { insertFromSnapshot } from './insert-from-snapshot.ts';
import { type NewSessionDependencies, newSession, quotaReached } from './new-session.ts';

export type CreateSessionDependencies = StartDependencies &
  IdempotencyDependencies &
  NewSessionDependencies &
  RoomDependencies & {
    isDraining(): boolean;
    /** A session was allowed to claim a warm sandbox: `cold` if none was ready. */
    onClaim(result: 'warm' | 'cold'): void;
    /** A session has become active. */
    onCreated(session: SessionRow): void;
  };

type CreateInput = {
  caller: Caller;
  request: CreateSession;
  idempotencyKey?: string;
  /** Aborts when the client leaves: then nothing waits for the session of another request. */
  signal?: AbortSignal;
};

/** `existed`: it is a living session that has the client's key. */
type CreatedSession = Session & { existed?: true };

/**
 * Creates a session and resolves once its sandbox answers and its route is bound, or finds the one that has the client's key.
 * @throws Problem 403 if the caller may not choose the policy or the budget, or the policy forbids the network, 422 if the runtime cannot give what is asked for, 429 at the tenant's limit, 503 if the sandbox does not start,
 * 507 if there is no room for its files
 */
export async function createSession(deps: CreateSessionDependencies, input: CreateInput): Promise<CreatedSession> {
  if (deps.isDraining()) throw new Problem('draining', { retryAfterSeconds: 1 });
  const { caller, request, idempotencyKey, signal } = input;
  const first = {
    tenant: caller.tenant,
    key: idempotencyKey,
    request: ['create session', { ...request, files: request.files?.map(fileText) }],
    newId: newId('ses'),
  };
  return await idempotently(deps, first, async (id, { resumed }): Promise<CreatedSession> => {
    const sessionOfAnother = () => sessionOfKey(deps, { id, caller, request, signal });
    const earlier = await sessionOfAnother();
    if (earlier) return earlier;
    const policy = choosePolicy(deps.defaults, { caller, wish: request.policy });
    const terms = chooseTerms(deps.runtime, { policy, request });
    const insert = request.fromSnapshot ? insertWithSnapshot : insertNew;
    const create = () => createOrResume(deps, { id, resumed, caller, request, terms }, insert);
    for (let isFirst = true; ; isFirst = false) {
      try {
        return await create();
      } catch (error) {
        if (!isQuota(error) || request.clientKey === undefined) throw error;
        // No row was inserted: for want of room, or because of the session of another request, which may have ended since.
        const other = await sessionOfAnother();
        if (other) return other;
        if (!isFirst) throw error;
      }
    }
  });
}

/** Stands for the bytes, which would be many times as long in JSON. */
const fileText = ({ path, bytes }: InlineFile) => ({ path, sha256: createHash('sha256').update(bytes).digest('hex') });

const isQuota = (error: unknown) => error instanceof Problem && error.slug === 'quota-exceeded';

type Keyed = Pick<CreateInput, 'caller' | 'request' | 'signal'> & { id: string };

/**
 * The living session with the client's key, once it is no longer `creating`; null if there is none but the one with this id.
 * @throws Problem 503 if it is still `creating` when a start may take no longer, or the client has left
 */
async function sessionOfKey(
  { db, startSeconds }: CreateSessionDependencies,
  { id, caller: { tenant }, request: { clientKey }, signal }: Keyed,
): Promise<CreatedSession | null> {
  if (clientKey === undefined) return null;
  const giveUpAt = performance.now() + startSeconds * 1000;
  for (;;) {
    const session = await findByClientKey(db, { tenant, clientKey });
    if (!session || session.id === id) return null;
    if (session.status !== 'creating') return { ...(await sessionView(db, session)), existed: true };
    if (signal?.aborted || performance.now() > giveUpAt) refuseUnlessActive(session);
    await delay(againMs, undefined, { signal }).catch(() => {});
  }
}

const againMs = 100;

type NewSession = {
  id: string;
  caller: Caller;
  request: CreateSession;
  terms: Terms;
  /** The job for which the session is created. */
  jobId?: string;
};

/**
 * Creates the session and its sandbox under a given id, or resumes an earlier attempt.
 * @throws Problem as `createSession` does, and 410 if the session has ended meanwhile; the errors of `insert`
 */
export async function createOrResume(
  deps: CreateSessionDependencies,
  { resumed, ...wanted }: NewSession & { resumed: boolean },
  insert: (deps: CreateSessionDependencies, wanted: NewSession) => Promise<Inserted> = insertNew,
): Promise<Session> {
  const refuseGoneBudget = async (error: unknown): Promise<never> => {
    // Reading it again finds that its session was deleted meanwhile.
    if (isBudgetGone(error)) await firstBudget(deps, wanted);
    throw error;
  };
  const earlier = resumed ? await findEarlierAttempt(deps, wanted) : null;
  const { session, claimed, assigning } = earlier ?? (await insert(deps, wanted).catch(refuseGoneBudget));
  if (hasSandbox(session.status)) return await sessionView(deps.db, session);
  if (session.status !== 'creating') refuseUnlessActive(session);
  const { env, files = [], fromExport } = wanted.request;
  const active = await startSandbox(deps, { session, env, files, fromExport, claimed, assigning });
  deps.onCreated(active);
  return await sessionView(deps.db, active);
}

type Inserted = InsertedSession & {
  /** The assignment to the claimed sandbox, if it has begun. */
  assigning?: Promise<AssignedSandbox> | undefined;
};

/**
 * The session that an earlier attempt has inserted, with the sandbox that it claimed. If its sandbox is still to be started, that is now
 * for this replica to do.
 */
export async function findEarlierAttempt(
  deps: CreateSessionDependencies,
  { id }: { id: string },
): Promise<Inserted | null> {
  const { db, runtime, replicaId } = deps;
  const resumed = await resumeLaunch(db, { id, replicaId, startSeconds: deps.startSeconds + startGraceSeconds });
  const session = resumed ?? (await findSession(db, { id }));
  const mayHaveClaimed = session?.status === 'creating' && runtime.capabilities.warmPools.length > 0;
  return (
    session && {
      session,
      claimed: mayHaveClaimed ? await findClaimedSandbox(db, { sessionId: id, epoch: session.epoch }) : null,
    }
  );
}

async function insertNew(deps: CreateSessionDependencies, wanted: NewSession): Promise<Inserted> {
  await refuseFilesBeyondRoom(deps, wanted);
  const { caller } = wanted;
  const session = await newSession(deps, {
    ...wanted,
    tenant: caller.tenant,
    change: askedBy(caller, 'session.create'),
    budget: await firstBudget(deps, wanted),
  });
  const assignment = beginAssignment(deps, { env: wanted.request.env });
  const inserted = await insertSession(deps.db, session, assignment.begin).catch((error) => {
    assignment.abandon();
    throw error;
  });
  if (!inserted) throw quotaReached(deps.defaults);
  if (session.warm) deps.onClaim(inserted.claimed ? 'warm' : 'cold');
  return { ...inserted, assigning: assignment.begun };
}

async function insertWithSnapshot(deps: CreateSessionDependencies, wanted: NewSession): Promise<Inserted> {
  await refuseFilesBeyondRoom(deps, wanted);
  const { caller, request } = wanted;
  const fromSnapshot = request.fromSnapshot ?? '';
  const change = askedBy(caller, 'session.create', { fromSnapshot });
  const budget = await firstBudget(deps, wanted);
  return await insertFromSnapshot(deps, { ...wanted, tenant: caller.tenant, fromSnapshot, change, budget });
}

async function firstBudget(
  { db, defaults }: CreateSessionDependencies,
  { caller, request: { budget, budgetOf } }: NewSession,
): Promise<ReturnType<typeof ownBudget>> {
  if (!budgetOf) return ownBudget(defaults, { caller, budget });
  return sharedBudget(await existingSession(db, { id: budgetOf, tenant: caller.tenant }));
}

async function refuseFilesBeyondRoom(
  deps: CreateSessionDependencies,
  { id, caller: { tenant }, request }: NewSession,
): Promise<void> {
  const bytes = (request.files ?? []).reduce((sum, file) => sum + file.bytes.length, 0);
  await refuseBeyondRoom(deps, { tenant, sessionId: id, bytes });
}
