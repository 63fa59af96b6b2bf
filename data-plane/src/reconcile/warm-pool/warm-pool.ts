import type { AgentClient } from '../../agent/agent-client.ts';
import type { Logger } from '../../observability/logger.ts';
import type { Database } from '../../registry/connect.ts';
import { addWarmSandboxes } from '../../registry/warm-sandboxes/add-warm-sandboxes.ts';
import { type Runtime, SandboxError, type WarmPool } from '../../runtimes/runtime.ts';
import { newWarmSandboxName } from '../../sessions/sandbox-name.ts';
import { warmAges } from '../../sessions/start/choose-warm-pool.ts';
import { createBackOff } from '../../timing/back-off.ts';
import { launchWarmSandbox } from './launch-warm-sandbox.ts';

export type WarmPoolDependencies = {
  db: Database;
  runtime: Pick<Runtime, 'launch' | 'inspect' | 'explain' | 'destroy'>;
  agents: Pick<AgentClient, 'meet' | 'prepare'>;
  log: Logger;
  startSeconds: number;
  warmSeconds: number;
  isDraining(): boolean;
};

/** Launches at the same time, per pool and replica: a launch that hangs in one pool does not delay another pool. */
const atOnce = 8;

/**
 * This replica's share in filling one warm pool. The missing sandboxes are counted in the database, so that replicas that fill at the
 * same time do not launch too many. While launches fail, they are tried one at a time.
 */
export function createWarmPool(deps: WarmPoolDependencies, pool: WarmPool, closing: AbortSignal) {
  const launching = new Set<Promise<void>>();
  const backOff = createBackOff({ firstMs: 500, maxMs: 30_000 });
  const { profile, network, template, size } = pool;
  let filling: Promise<void> | null = null;
  let wanted = false;
  let fault: string | null = null;

  async function fillWhileWanted(): Promise<void> {
    while (wanted) {
      wanted = false;
      const room = roomNow();
      if (room <= 0) continue;
      const names = Array.from({ length: room }, newWarmSandboxName);
      const ageSecondsMax = warmAges(deps.warmSeconds).replaced;
      const added = await addWarmSandboxes(deps.db, { profile, network, template, size, ageSecondsMax, names });
      for (const name of added) launch(name);
    }
  }

  function roomNow(): number {
    if (closing.aborted || deps.isDraining() || backOff.waits(performance.now())) return 0;
    return (backOff.failing ? 1 : atOnce) - launching.size;
  }

  function launch(name: string): void {
    const signal = AbortSignal.any([closing, AbortSignal.timeout(deps.startSeconds * 1000)]);
    const launched: Promise<void> = launchWarmSandbox(deps, { pool, name, signal })
      .then(succeeded, failed)
      .finally(() => {
        launching.delete(launched);
        fill();
      });
    launching.add(launched);
  }

  function succeeded(): void {
    if (fault !== null) deps.log.info({ profile, network }, 'warm sandboxes start again');
    fault = null;
    backOff.succeeded();
  }

  function failed(err: unknown): void {
    if (closing.aborted) return;
    const { reason, retryAfterSeconds = 0 } = err instanceof SandboxError ? err : { reason: 'sandbox_start_failed' };
    if (reason !== fault) deps.log.warn({ profile, network, reason, err }, 'a warm sandbox did not start');
    fault = reason;
    backOff.failed(performance.now(), retryAfterSeconds * 1000);
  }

  /** Launches the missing sandboxes, now or as soon as the pass that is running is over. */
  function fill(): void {
    wanted = true;
    filling ??= fillWhileWanted()
      .catch((err) => deps.log.error({ profile, network, err }, 'a warm pool could not be filled'))
      .finally(() => {
        filling = null;
      });
  }

  return {
    fill,

    /** Resolves when this replica launches nothing more. */
    async settled(): Promise<void> {
      while (filling || launching.size > 0) await Promise.all([filling, ...launching]);
    },
  };
}
