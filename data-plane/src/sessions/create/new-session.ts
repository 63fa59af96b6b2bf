import { type BudgetLimits, type CreateSession, type LastRecovery, Problem } from '@holdfast/specs/public';
import type { Seal } from '../../keys/seal.ts';
import type { StoredPolicy } from '../../policy/rules/resolve-policy.ts';
import type { Change } from '../../registry/audit/changed-by.ts';
import type { NewSession } from '../../registry/sessions/insert-session.ts';
import type { Runtime } from '../../runtimes/runtime.ts';
import { startGraceSeconds } from '../deadlines.ts';
import { sandboxName } from '../sandbox-name.ts';
import { chooseWarmPool } from '../start/choose-warm-pool.ts';
import { storedWebhooks } from '../webhooks/stored-webhooks.ts';
import type { Terms } from './choose-terms.ts';

export type NewSessionDependencies = {
  defaults: {
    timeoutSeconds: number;
    idleTimeoutSeconds: number;
    sessionsMax: number;
    policy: StoredPolicy;
    budget: BudgetLimits;
  };
  seal: Pick<Seal, 'close'>;
  runtime: Pick<Runtime, 'name' | 'capabilities'>;
  replicaId: string;
  startSeconds: number;
  warmSeconds: number;
};

type Wanted = {
  id: string;
  tenant: string;
  request: CreateSession;
  terms: Terms;
  /** The job for which the session is created. */
  jobId?: string | undefined;
  lastRecovery?: LastRecovery | undefined;
  change: Change;
  budget: NewSession['budget'];
};

/** The session that a request asks for, as it is inserted. */
export async function newSession(
  deps: NewSessionDependencies,
  { id, tenant, request, terms, jobId, lastRecovery, change, budget }: Wanted,
): Promise<NewSession> {
  const { defaults, seal, runtime, replicaId, startSeconds } = deps;
  return {
    id,
    replicaId,
    sandboxName: sandboxName(id, 1),
    tenant,
    language: request.language,
    runtime: runtime.name,
    ...terms,
    metadata: request.metadata,
    env: Object.keys(request.env).length > 0 ? await seal.close(JSON.stringify(request.env)) : null,
    jobId,
    clientKey: request.clientKey,
    webhooks: await storedWebhooks(seal, request.webhooks),
    timeoutSeconds: request.timeoutSeconds ?? defaults.timeoutSeconds,
    recovery: request.recovery,
    onIdle: request.onIdle,
    idleTimeoutSeconds: request.idleTimeoutSeconds ?? defaults.idleTimeoutSeconds,
    startSeconds: startSeconds + startGraceSeconds,
    sessionsMax: defaults.sessionsMax,
    warm: chooseWarmPool(runtime.capabilities, terms, deps),
    lastRecovery,
    change,
    budget,
  };
}

export const quotaReached = ({ sessionsMax }: { sessionsMax: number }) =>
  new Problem('quota-exceeded', {
    detail: `the tenant may have ${sessionsMax} sessions with a sandbox; a session that has ended counts until its sandbox is gone`,
    retryAfterSeconds: 10,
  });
