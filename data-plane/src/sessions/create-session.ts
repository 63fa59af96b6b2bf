import { type CreateSession, newId, Problem, type Session } from '@holdfast/specs';
import type { Seal } from '../agent/seal.ts';
import type { MetSandbox } from '../registry/claim-warm-sandbox.ts';
import { findClaimedSandbox } from '../registry/find-claimed-sandbox.ts';
import { findSession } from '../registry/find-session.ts';
import { insertSession } from '../registry/insert-session.ts';
import type { Caller } from './caller.ts';
import { refuseUnlessActive } from './existing-session.ts';
import { type IdempotencyDependencies, idempotently } from './idempotently.ts';
import { type Offer, offerFor } from './offer.ts';
import { type SessionRow, sessionView } from './session-view.ts';
import { type StartDependencies, startSandbox } from './start-sandbox.ts';
import { warmWishFor } from './warm-wish.ts';

export type CreateSessionDependencies = StartDependencies &
  IdempotencyDependencies & {
    defaults: { timeoutSeconds: number; idleTimeoutSeconds: number; sessionsMax: number };
    warmSeconds: number;
    isDraining(): boolean;
    /** A session could have claimed a warm sandbox: `cold` where none was ready. */
    onClaim(result: 'warm' | 'cold'): void;
  };

type CreateInput = { caller: Caller; request: CreateSession; idempotencyKey?: string };

/**
 * Creates a session and resolves once its sandbox answers and its route is bound.
 * @throws Problem 422 where the runtime cannot give what is asked for, 429 at the tenant's limit, 503 where the sandbox does not start.
 */
export async function createSession(deps: CreateSessionDependencies, input: CreateInput): Promise<Session> {
  if (deps.isDraining()) throw new Problem('draining', { retryAfterSeconds: 1 });
  const { caller, request, idempotencyKey } = input;
  const offer = offerFor(deps.runtime, request);
  const first = {
    tenant: caller.tenant,
    key: idempotencyKey,
    request: ['create session', request],
    newId: newId('ses'),
  };
  return await idempotently(deps, first, async (id, { resumed }) => {
    const { session, claimed } =
      (resumed ? await madeBefore(deps, { id }) : null) ?? (await insert(deps, { id, caller, request, offer }));
    if (session.status === 'active') return sessionView(session);
    if (session.status !== 'creating') refuseUnlessActive(session);
    return sessionView(await startSandbox(deps, { session, env: request.env, claimed }));
  });
}

type Made = { session: SessionRow; claimed: MetSandbox | null };

/** What an earlier try has left, with the sandbox that it had claimed. */
async function madeBefore({ db, runtime }: CreateSessionDependencies, { id }: { id: string }): Promise<Made | null> {
  const session = await findSession(db, { id });
  const mayHaveClaimed = session?.status === 'creating' && runtime.capabilities.warmPools.length > 0;
  return session && { session, claimed: mayHaveClaimed ? await findClaimedSandbox(db, { sessionId: id }) : null };
}

type Insert = { id: string; caller: Caller; request: CreateSession; offer: Offer };

async function insert(deps: CreateSessionDependencies, { id, caller, request, offer }: Insert): Promise<Made> {
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
