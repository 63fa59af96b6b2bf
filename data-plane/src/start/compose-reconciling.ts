import type { Config } from '../config/parse-config.ts';
import type { Metrics } from '../observability/metrics.ts';
import { createReconciler } from '../reconcile/create-reconciler.ts';
import { createWarmPools } from '../reconcile/warm-pool/warm-pools.ts';
import type { Core } from './compose-core.ts';

export type Reconciling = ReturnType<typeof composeReconciling>;

/** The reconciler, which follows hints, and the warm pools. `run-duties` does the periodic part. */
export function composeReconciling({ config, metrics, core }: { config: Config; metrics: Metrics; core: Core }) {
  const reconciler = createReconciler(core);
  core.runtime.onEnded(({ uid }) => reconciler.sandboxEnded(uid));
  const warmPools = createWarmPools({
    ...core,
    startSeconds: config.sessions.startSeconds,
    warmSeconds: config.kubernetes.warmSeconds,
    onCount: metrics.warmSandboxes,
  });
  return { reconciler, warmPools };
}
