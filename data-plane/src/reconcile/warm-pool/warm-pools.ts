import type { WarmSandboxes } from '../../observability/metrics.ts';
import { countWarmSandboxes } from '../../registry/warm-sandboxes/count-warm-sandboxes.ts';
import { listUnusedClaims } from '../../registry/warm-sandboxes/list-unused-claims.ts';
import { requestWarmSandboxes } from '../../registry/warm-sandboxes/request-warm-sandboxes.ts';
import { retireWarmSandboxes } from '../../registry/warm-sandboxes/retire-warm-sandboxes.ts';
import type { Runtime } from '../../runtimes/runtime.ts';
import { warmAges } from '../../sessions/start/choose-warm-pool.ts';
import { createWarmConnections } from './warm-connections.ts';
import { createWarmPool, type WarmPoolDependencies } from './warm-pool.ts';
import { createWarmRemovals } from './warm-removals.ts';

export type WarmPools = ReturnType<typeof createWarmPools>;

type WarmPoolsDependencies = WarmPoolDependencies & {
  runtime: Pick<Runtime, 'capabilities' | 'launch' | 'inspect' | 'explain' | 'destroy'>;
  onCount(counts: WarmSandboxes[]): void;
};

/** Fifteen passes: a template that no replica has asked for in this time is wanted by none that lives. */
const requestSeconds = 30;

/** A launch takes much of a machine, so the claims of one moment are answered before their sandboxes are replaced. */
const replaceAfterMs = 100;

/** A replica that still lives has stopped its launch by then. */
const graceSeconds = 10;

/**
 * Fills this replica's warm pools, and removes sandboxes that no session may claim from all pools. During a rolling update replicas want
 * different templates: a template is wanted as long as any replica asks for it, and no replica removes its sandboxes.
 */
export function createWarmPools(deps: WarmPoolsDependencies) {
  const { db, runtime } = deps;
  const closing = new AbortController();
  const wanted = runtime.capabilities.warmPools.filter(({ size }) => size > 0);
  const empty = wanted.flatMap(({ profile, network }) =>
    (['starting', 'ready', 'claimed'] as const).map((state) => ({ profile, network, state, count: 0 })),
  );
  const pools = wanted.map((pool) => createWarmPool(deps, pool, closing.signal));
  const removals = createWarmRemovals(deps);
  const connections = createWarmConnections(deps);
  let replacing: NodeJS.Timeout | null = null;

  function fill(): void {
    replacing = null;
    for (const pool of pools) pool.fill();
  }

  return {
    /** To be called when a sandbox was claimed or is missing. */
    fillSoon(): void {
      replacing ??= setTimeout(fill, replaceAfterMs).unref();
    },

    /** One pass: asks for what this replica wants, retires what no session may claim any more, and fills the pools. */
    async maintain(): Promise<void> {
      if (closing.signal.aborted) return;
      for (const pool of wanted) await requestWarmSandboxes(db, pool);
      const retired = await retireWarmSandboxes(db, {
        requestSeconds,
        ageSecondsMax: warmAges(deps.warmSeconds).claimable,
        startSecondsMax: deps.startSeconds + graceSeconds,
      });
      removals.remove([...retired, ...(await listUnusedClaims(db))]);
      fill();
      if (wanted.length > 0) await connections.keep();
      // An empty pool shows a count of 0.
      deps.onCount([...empty, ...(await countWarmSandboxes(db))]);
    },

    /** Stops the launches of this replica; ready sandboxes stay for the other replicas. */
    async close(): Promise<void> {
      clearTimeout(replacing ?? undefined);
      closing.abort(new Error('the data-plane stops'));
      await Promise.all(pools.map((pool) => pool.settled()));
      await removals.settled();
    },
  };
}
