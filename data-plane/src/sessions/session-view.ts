import type { Session } from '@holdfast/specs/public';
import { policyView } from '../policy/rules/resolve-policy.ts';
import type { SessionRow } from '../registry/schema/sessions.ts';

/** The session in the form that clients see. Pure. */
export function sessionView(row: SessionRow): Session {
  return {
    id: row.id,
    status: row.status,
    language: row.language,
    runtime: row.runtime,
    network: row.network,
    profile: row.profile,
    epoch: row.epoch,
    metadata: row.metadata,
    timeoutSeconds: row.timeoutSeconds,
    idleTimeoutSeconds: row.idleTimeoutSeconds,
    policy: policyView(row.policy),
    recovery: row.recovery,
    onIdle: row.onIdle,
    lostReason: row.lostReason,
    lostMessage: row.lostMessage,
    lastRecovery: row.lastRecovery,
    stepCount: row.stepCount,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    lastActivityAt: row.lastActivityAt.toISOString(),
    expiresAt: new Date(row.createdAt.getTime() + row.timeoutSeconds * 1000).toISOString(),
    endedAt: row.endedAt?.toISOString() ?? null,
    endReason: row.endReason,
    endMessage: row.endMessage,
  };
}
