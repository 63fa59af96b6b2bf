import { createHash } from 'node:crypto';
import { type CreateSession, type InlineFile, newId, Problem, type Session } from '@holdfast/specs/public';
import type { Seal } from '../keys/seal.ts';
import { resumeLaunch } from '../registry/sandboxes/resume-launch.ts';
import type { SessionRow } from '../registry/schema/sessions.ts';
import type { SnapshotRow } from '../registry/schema/snapshots.ts';
import { findSession } from '../registry/sessions/find-session.ts';
import { insertSession } from '../registry/sessions/insert-session.ts';
import type { ReadySandbox } from '../registry/warm-sandboxes/claim-warm-sandbox.ts';
import { findClaimedSandbox } from '../registry/warm-sandboxes/find-claimed-sandbox.ts';
import { usableSnapshot } from '../state/usable-snapshot.ts';
import type { Caller } from './caller.ts';
import { startGraceSeconds } from './deadlines.ts';
import { refuseUnlessActive } from './existing-session.ts';
import { type IdempotencyDependencies, idempotently } from './idempotently.ts';
import { sandboxName } from './sandbox-name.ts';
import { sessionView } from './session-view.ts';
import type { AssignedSandbox } from './start/assign-session.ts';
import { beginAssignment } from './start/begin-assignment.ts';
import { chooseProfile, type Offer } from './start/choose-profile.ts';
import { chooseWarmPool } from './start/choose-warm-pool.ts';
import { type RoomDependencies, refuseBeyondRoom } from './start/refuse-beyond-room.ts';
import { type StartDependencies, startSandbox } from './start-sandbox.ts';

export type CreateSessionDependencies = StartDependencies &
  IdempotencyDependencies &
  RoomDependencies & {
    defaults: { timeoutSeconds: number; idleTimeoutSeconds: number; sessionsMax: number };
    warmSeconds: number;
    isDraining(): boolean;
    /** A session was allowed to claim a warm sandbox: `cold` if none was ready. */
    onClaim(result: 'warm' | 'cold'): void;
    /** A session has become active. */
    onCreated(): void;
  };

type CreateInput = { caller: Caller; request: CreateSession; idempotencyKey?: string };

/**
 * Creates a session and resolves once its sandbox answers and its route is bound.
 * @throws Problem 422 if the runtime cannot give what is asked for, 429 at the tenant's limit, 503 if the sandbox does not start,
 * 507 if there is no room for its files
 */
export async function createSession(deps: CreateSessionDependencies, input: CreateInput): Promise<Session> {
  if (deps.isDraining()) throw new Problem('draining', { retryAfterSeconds: 1 });
  const { caller, request, idempotencyKey } = input;
  const { fromSnapshot, language } = request;
  const snapshot = fromSnapshot
    ? await usableSnapshot(deps, { id: fromSnapshot, tenant: caller.tenant, language })
    : null;
  const offer = chooseProfile(deps.runtime, request);
  const first = {
    tenant: caller.tenant,
    key: idempotencyKey,
    request: ['create session', { ...request, files: request.files?.map(fileText) }],
    newId: newId('ses'),
  };
  return await idempotently(deps, first, (id, { resumed }) =>
    createOrResume(deps, { id, resumed, caller, request, offer, fromSnapshot: snapshot }),
  );
}

/** Stands for the bytes, which would be many times as long in JSON. */
const fileText = ({ path, bytes }: InlineFile) => ({ path, sha256: createHash('sha256').update(bytes).digest('hex') });

type NewSession = {
  id: string;
  /** The state with which the session's default context begins. */
  fromSnapshot?: SnapshotRow | null;
  caller: Caller;
  request: CreateSession;
  offer: Offer;
  /** The job for which the session is created. */
  jobId?: string;
};

/**
 * Creates the session and its sandbox under a given id, or resumes an earlier attempt.
 * @throws Problem as `createSession` does, and 410 if the session has ended meanwhile
 */
export async function createOrResume(
  deps: CreateSessionDependencies,
  { resumed, ...wanted }: NewSession & { resumed: boolean },
): Promise<Session> {
  const earlier = resumed ? await findEarlierAttempt(deps, wanted) : null;
  const { session, claimed, assigning } = earlier ?? (await insertNewSession(deps, wanted));
  if (session.status === 'active') return sessionView(session);
  if (session.status !== 'creating') refuseUnlessActive(session);
  const { env, files = [], fromExport } = wanted.request;
  const { fromSnapshot = null } = wanted;
  const active = await startSandbox(deps, { session, env, files, fromSnapshot, fromExport, claimed, assigning });
  deps.onCreated();
  return sessionView(active);
}

type Inserted = {
  session: SessionRow;
  claimed: ReadySandbox | null;
  /** The assignment to the claimed sandbox, if it has begun. */
  assigning?: Promise<AssignedSandbox> | undefined;
};

/**
 * The session that an earlier attempt has inserted, with the sandbox that it claimed. If its sandbox is still to be started, that is now
 * for this replica to do.
 */
async function findEarlierAttempt(deps: CreateSessionDependencies, { id }: { id: string }): Promise<Inserted | null> {
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

async function insertNewSession(deps: CreateSessionDependencies, wanted: NewSession): Promise<Inserted> {
  const { defaults, db, seal, runtime } = deps;
  const { id, caller, request, offer, jobId } = wanted;
  const bytes = (request.files ?? []).reduce((sum, file) => sum + file.bytes.length, 0);
  await refuseBeyondRoom(deps, { tenant: caller.tenant, sessionId: id, bytes });
  const warm = chooseWarmPool(runtime.capabilities, offer, deps);
  const row = {
    id,
    replicaId: deps.replicaId,
    sandboxName: sandboxName(id, 1),
    tenant: caller.tenant,
    language: request.language,
    runtime: runtime.name,
    ...offer,
    metadata: request.metadata,
    env: await sealedEnv(seal, request.env),
    jobId,
    timeoutSeconds: request.timeoutSeconds ?? defaults.timeoutSeconds,
    recovery: request.recovery,
    onIdle: request.onIdle,
    idleTimeoutSeconds: request.idleTimeoutSeconds ?? defaults.idleTimeoutSeconds,
    startSeconds: deps.startSeconds + startGraceSeconds,
    sessionsMax: defaults.sessionsMax,
    warm,
  };
  const assignment = beginAssignment(deps, { env: request.env });
  const inserted = await insertSession(db, row, assignment.begin).catch((error) => {
    assignment.abandon();
    throw error;
  });
  if (!inserted) {
    throw new Problem('quota-exceeded', {
      detail: `the tenant has ${defaults.sessionsMax} sessions with a sandbox, which is its limit; a session that has ended counts until its sandbox is gone`,
      retryAfterSeconds: 10,
    });
  }
  if (warm) deps.onClaim(inserted.claimed ? 'warm' : 'cold');
  return { ...inserted, assigning: assignment.begun };
}

async function sealedEnv(seal: Seal, env: Record<string, string>): Promise<string | null> {
  return Object.keys(env).length > 0 ? await seal.close(JSON.stringify(env)) : null;
}
