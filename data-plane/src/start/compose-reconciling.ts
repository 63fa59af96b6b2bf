import type { Config } from '../config/parse-config.ts';
import type { Metrics } from '../observability/metrics.ts';
import { createReconciler } from '../reconcile/create-reconciler.ts';
import { createWarmPools } from '../reconcile/warm-pool/warm-pools.ts';
import type { SessionRow } from '../registry/schema/sessions.ts';
import { resumeSession } from '../sessions/recover/resume-session.ts';
import type { Core } from './compose-core.ts';

export type Reconciling = ReturnType<typeof composeReconciling>;

/**
 * The reconciler, which follows hints, the warm pools, and the start of a session's sandbox, which a recovery needs as much as a creation.
 * `run-duties` does the periodic part.
 */
export function composeReconciling({ config, metrics, core }: { config: Config; metrics: Metrics; core: Core }) {
  const { startSeconds } = config.sessions;
  const { leaseSeconds } = config.agent;
  const { warmSeconds } = config.kubernetes;
  /** A recovered state is saved at once, so that the next recovery starts from it. */
  const resume = async (session: SessionRow): Promise<SessionRow> => {
    const active = await resumeSession(starting, session);
    for (const { contextId, language } of active.lastRecovery?.contexts ?? []) {
      core.autoSnapshots.note({ sessionId: active.id, contextId, language });
    }
    return active;
  };
  const hint = (sessionId: string) => reconciler.hint(sessionId);
  const losing = { ...core, startSeconds, leaseSeconds, suspects: new Set<string>(), resume, hint };
  const reconciler = createReconciler(losing);
  const { hasEnded } = reconciler;
  const starting = { ...losing, hasEnded, warmSeconds };
  core.runtime.onEnded(({ uid }) => reconciler.sandboxEnded(uid));
  const warmPools = createWarmPools({ ...core, startSeconds, warmSeconds, onCount: metrics.warmSandboxes });
  return { reconciler, warmPools, losing, starting };
}
