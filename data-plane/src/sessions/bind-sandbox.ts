import type { LastRecovery } from '@holdfast/specs/public';
import type { Database } from '../registry/connect.ts';
import { bindRoute } from '../registry/routes/bind-route.ts';
import type { SessionRow } from '../registry/schema/sessions.ts';
import type { Routes } from './sandbox-routes.ts';
import type { AssignedSandbox } from './start/assign-session.ts';

export type BindDependencies = {
  db: Database;
  routes: Pick<Routes, 'add'>;
  /** Says "check this session". */
  hint(sessionId: string): void;
  /** Whether the runtime has reported that this sandbox seems to have ended. */
  hasEnded(sandboxUid: string): boolean;
};

type Binding = AssignedSandbox & { lastRecovery: LastRecovery | null };

/** Binds the sandbox to which the session is assigned and makes the session active; null if it waits for no sandbox of this epoch any more. */
export async function bindSandbox(
  { db, routes, hint, hasEnded }: BindDependencies,
  { sandbox, target, sealedToken, firstContextEpoch, lastRecovery }: Binding,
): Promise<SessionRow | null> {
  const { sessionId, epoch, sandboxUid, endpoint, agentPublicKey, token } = target;
  const active = await bindRoute(db, {
    sessionId,
    epoch,
    sandboxName: sandbox.name,
    sandboxUid,
    node: sandbox.node,
    endpoint,
    agentPublicKey,
    token: sealedToken,
    tokenExpiresAt: token.expiresAt,
    firstContextEpoch,
    lastRecovery,
  });
  if (!active) return null;
  const { tenant, language, recovery, network, policy, policyRevision, contextEpochMax, budgetOf } = active;
  const asked = { hasBudget: budgetOf !== null, hasWebhooks: active.webhooks !== null };
  const settings = { tenant, language, recovery, network, policy, policyRevision, ...asked };
  routes.add({ ...target, ...settings, firstContextEpoch, contextEpochMax, sandboxName: sandbox.name });
  // A check of this sandbox before the bind found no session to which it belongs.
  if (hasEnded(sandboxUid)) hint(sessionId);
  return active;
}
