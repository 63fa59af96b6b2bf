import { createHash } from 'node:crypto';
import { type CreateSession, type InlineFile, newId, Problem, type Session } from '@holdfast/specs/public';
import type { Seal } from '../keys/seal.ts';
import type { SessionRow } from '../registry/schema/sessions.ts';
import { findSession } from '../registry/sessions/find-session.ts';
import { insertSession } from '../registry/sessions/insert-session.ts';
import type { ReadySandbox } from '../registry/warm-sandboxes/claim-warm-sandbox.ts';
import { findClaimedSandbox } from '../registry/warm-sandboxes/find-claimed-sandbox.ts';
import type { Caller } from './caller.ts';
import { chooseProfile, type Offer } from './choose-profile.ts';
import { refuseUnlessActive } from './existing-session.ts';
import { type IdempotencyDependencies, idempotently } from './idempotently.ts';
import { sessionView } from './session-view.ts';
import { type StartDependencies, startSandbox } from './start-sandbox.ts';
import { warmWishFor } from './warm-template.ts';

export type CreateSessionDependencies = StartDependencies &
  IdempotencyDependencies & {
    defaults: { timeoutSeconds: number; idleTimeoutSeconds: number; sessionsMax: number };
    warmSeconds: number;
    isDraining(): boolean;
    /** A session could have claimed a warm sandbox: `cold` where none was ready. */
    onClaim(result: 'warm' | 'cold'): void;
    /** A session has become active. */
    onCreated(): void;
  };

type CreateInput = { caller: Caller; request: CreateSession; idempotencyKey?: string };

/**
 * Creates a session and resolves once its sandbox answers and its route is bound.
 * @throws Problem 422 where the runtime cannot give what is asked for, 429 at the tenant's limit, 503 where the sandbox does not start.
 */
export async function createSession(deps: CreateSessionDependencies, input: CreateInput): Promise<Session> {
  if (deps.isDraining()) throw new Problem('draining', { retryAfterSeconds: 1 });
  const { caller, request, idempotencyKey } = input;
  const offer = chooseProfile(deps.runtime, request);
  const first = {
    tenant: caller.tenant,
    key: idempotencyKey,
    request: ['create session', { ...request, files: request.files?.map(fileText) }],
    newId: newId('ses'),
  };
  return await idempotently(deps, first, (id, { resumed }) =>
    makeSession(deps, { id, resumed, caller, request, offer }),
  );
}

/** In the place of the bytes, which as JSON would be many times as long. */
const fileText = ({ path, bytes }: InlineFile) => ({ path, sha256: createHash('sha256').update(bytes).digest('hex') });

/**
 * Makes a session under an id, and what it is made of; where that was begun before, it is gone on with.
 * @throws Problem as `createSession` does, and 410 where it has ended meanwhile
 */
export async function makeSession(
  deps: CreateSessionDependencies,
  { resumed, ...making }: Making & { resumed: boolean },
): Promise<Session> {
  const { session, claimed } = (resumed ? await madeBefore(deps, making) : null) ?? (await insert(deps, making));
  if (session.status === 'active') return sessionView(session);
  if (session.status !== 'creating') refuseUnlessActive(session);
  const { env, files = [] } = making.request;
  const active = await startSandbox(deps, { session, env, files, claimed });
  deps.onCreated();
  return sessionView(active);
}

type Made = { session: SessionRow; claimed: ReadySandbox | null };

/** What an earlier try has left, with the sandbox that it had claimed. */
async function madeBefore({ db, runtime }: CreateSessionDependencies, { id }: { id: string }): Promise<Made | null> {
  const session = await findSession(db, { id });
  const mayHaveClaimed = session?.status === 'creating' && runtime.capabilities.warmPools.length > 0;
  return session && { session, claimed: mayHaveClaimed ? await findClaimedSandbox(db, { sessionId: id }) : null };
}

type Making = {
  id: string;
  caller: Caller;
  request: CreateSession;
  offer: Offer;
  /** The job that it is for. */
  jobId?: string;
};

async function insert(deps: CreateSessionDependencies, { id, caller, request, offer, jobId }: Making): Promise<Made> {
  const { defaults, db, seal, runtime } = deps;
  const warm = warmWishFor(runtime.capabilities, offer, deps);
  const made = await insertSession(db, {
    id,
    tenant: caller.tenant,
    language: request.language,
    runtime: runtime.name,
    ...offer,
    metadata: request.metadata,
    env: await sealedEnv(seal, request.env),
    jobId,
    timeoutSeconds: request.timeoutSeconds ?? defaults.timeoutSeconds,
    idleTimeoutSeconds: request.idleTimeoutSeconds ?? defaults.idleTimeoutSeconds,
    startSeconds: deps.startSeconds + endingSeconds,
    sessionsMax: defaults.sessionsMax,
    warm,
  });
  if (!made) {
    throw new Problem('quota-exceeded', {
      detail: `the tenant has ${defaults.sessionsMax} live sessions, which is its limit`,
      retryAfterSeconds: 10,
    });
  }
  if (warm) deps.onClaim(made.claimed ? 'warm' : 'cold');
  return made;
}

/** Whoever starts a session also ends it where that fails, and knows why; the reconciler is for those who cannot. */
const endingSeconds = 15;

async function sealedEnv(seal: Seal, env: Record<string, string>): Promise<string | null> {
  return Object.keys(env).length > 0 ? await seal.close(JSON.stringify(env)) : null;
}
