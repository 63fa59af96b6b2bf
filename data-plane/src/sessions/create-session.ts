import { type CreateSession, type Network, newId, Problem, type Session } from '@holdfast/specs';
import type { Seal } from '../agent/seal.ts';
import { findSession } from '../registry/find-session.ts';
import { insertSession } from '../registry/insert-session.ts';
import type { Capabilities } from '../runtimes/runtime.ts';
import type { Caller } from './caller.ts';
import { refuseUnlessActive } from './existing-session.ts';
import { type IdempotencyDependencies, idempotently } from './idempotently.ts';
import { type SessionRow, sessionView } from './session-view.ts';
import { type StartDependencies, startSandbox } from './start-sandbox.ts';

export type CreateSessionDependencies = StartDependencies &
  IdempotencyDependencies & {
    defaults: { timeoutSeconds: number; idleTimeoutSeconds: number; sessionsMax: number };
    isDraining(): boolean;
  };

type CreateInput = { caller: Caller; request: CreateSession; idempotencyKey?: string };

/**
 * Creates a session and resolves once its sandbox answers and its route is bound.
 * @throws Problem 422 where the runtime cannot give what is asked for, 429 at the tenant's limit, 503 where the sandbox does not start.
 */
export async function createSession(deps: CreateSessionDependencies, input: CreateInput): Promise<Session> {
  if (deps.isDraining()) throw new Problem('draining', { retryAfterSeconds: 1 });
  const { caller, request, idempotencyKey } = input;
  const network = networkFor(deps.runtime, request.network);
  const first = {
    tenant: caller.tenant,
    key: idempotencyKey,
    request: ['create session', request],
    newId: newId('ses'),
  };
  return await idempotently(deps, first, async (id) => {
    const row = (await findSession(deps.db, { id })) ?? (await insert(deps, { id, caller, request, network }));
    if (row.status === 'active') return sessionView(row);
    if (row.status !== 'creating') refuseUnlessActive(row);
    return sessionView(await startSandbox(deps, { session: row, env: request.env }));
  });
}

/** The network class a session gets: what it asks for, else the strongest there is. */
function networkFor(runtime: { name: string; capabilities: Capabilities }, wish: Network | undefined): Network {
  const { networks } = runtime.capabilities;
  const network = wish ?? networks[0];
  if (network && networks.includes(network)) return network;
  const detail = `the ${runtime.name} runtime cannot give network "${wish}"; it gives ${networks.join(', ')}`;
  throw new Problem('unsupported-by-runtime', { detail, errors: [{ pointer: '/network', detail }] });
}

type Insert = { id: string; caller: Caller; request: CreateSession; network: Network };

async function insert(deps: CreateSessionDependencies, { id, caller, request, network }: Insert): Promise<SessionRow> {
  const { defaults, db, seal, runtime, startSeconds } = deps;
  const row = await insertSession(db, {
    id,
    tenant: caller.tenant,
    language: request.language,
    runtime: runtime.name,
    network,
    metadata: request.metadata,
    env: await sealedEnv(seal, request.env),
    timeoutSeconds: request.timeoutSeconds ?? defaults.timeoutSeconds,
    idleTimeoutSeconds: request.idleTimeoutSeconds ?? defaults.idleTimeoutSeconds,
    startSeconds,
    sessionsMax: defaults.sessionsMax,
  });
  if (!row) {
    throw new Problem('quota-exceeded', {
      detail: `the tenant has ${defaults.sessionsMax} live sessions, which is its limit`,
      retryAfterSeconds: 10,
    });
  }
  return row;
}

async function sealedEnv(seal: Seal, env: Record<string, string>): Promise<string | null> {
  return Object.keys(env).length > 0 ? await seal.close(JSON.stringify(env)) : null;
}
