import { setTimeout as delay } from 'node:timers/promises';
import type { V1Pod } from '@kubernetes/client-node';
import type { Logger } from '../../../observability/logger.ts';
import { ApiError } from '../api/api-error.ts';
import type { PodEvent, Watch } from '../api/watch-pods.ts';
import type { PodCache } from './pod-cache.ts';

export type FollowDependencies = {
  list(options: { signal: AbortSignal }): Promise<{ pods: V1Pod[]; resourceVersion: string }>;
  watch(watch: Watch): AsyncIterable<PodEvent>;
  podCache: Pick<PodCache, 'replaceAll' | 'apply'>;
  /** After each complete list. */
  onList(): void;
  log: Logger;
};

export type FollowTimes = {
  /** Longest time between two complete lists. Up to a fifth less at random, so that replicas do not list at the same moment. */
  relistMs: number;
  silenceMs: number;
  pauseMs: { first: number; max: number };
};

export const followTimes: FollowTimes = {
  relistMs: 180_000,
  silenceMs: 75_000,
  pauseMs: { first: 100, max: 10_000 },
};

/** From this many failures in a row, a new list is read. After fewer, the watch goes on from its last version. */
const outageFailures = 2;

/**
 * Keeps the pod cache up to date: reads a complete list, then watches from there until the next list is due. A watch that ends early goes on
 * from its last resource version. If the server no longer has that version, or was away, a new list comes first.
 */
export function followPods(deps: FollowDependencies, times: FollowTimes = followTimes) {
  const closing = new AbortController();
  const following = follow(deps, { times, signal: closing.signal });
  return {
    async close(): Promise<void> {
      closing.abort();
      await following;
    },
  };
}

async function follow(deps: FollowDependencies, { times, signal }: { times: FollowTimes; signal: AbortSignal }) {
  let resourceVersion: string | null = null;
  let relistAt = 0;
  let failures = 0;
  while (!signal.aborted) {
    const startedAt = Date.now();
    let askedForMs = 0;
    try {
      if (resourceVersion === null || startedAt >= relistAt) {
        const list = await deps.list({ signal });
        resourceVersion = list.resourceVersion;
        relistAt = Date.now() + times.relistMs * (0.8 + Math.random() / 5);
        deps.podCache.replaceAll(list.pods);
        deps.onList();
      }
      const timeoutSeconds = Math.max(1, Math.ceil((relistAt - Date.now()) / 1000));
      for await (const event of deps.watch({ resourceVersion, timeoutSeconds, silenceMs: times.silenceMs, signal })) {
        if (failures > 0) deps.log.info({ failures }, 'the pods are watched again');
        failures = 0;
        resourceVersion = event.pod.metadata?.resourceVersion ?? resourceVersion;
        deps.podCache.apply(event);
        if (Date.now() >= relistAt) break;
      }
    } catch (err) {
      if (signal.aborted) return;
      if (err instanceof ApiError && err.kind === 'expired') resourceVersion = null;
      if (failures === 0) deps.log.warn({ err }, 'the pods cannot be watched');
      const lasted = Date.now() - startedAt > times.pauseMs.max;
      failures = lasted ? 1 : failures + 1;
      // After an outage, a list shows at once which pods are gone, and `onList` retries removals that failed meanwhile.
      if (failures >= outageFailures) resourceVersion = null;
      askedForMs = err instanceof ApiError ? 1000 * (err.retryAfterSeconds ?? 0) : 0;
    }
    // Pauses after a proper end too, because a server might end every watch at once.
    const pauseMs = Math.min(times.pauseMs.first * 2 ** Math.min(failures, 20), times.pauseMs.max);
    const waitMs = Math.max(pauseMs * (0.5 + Math.random() / 2), Math.min(askedForMs, 30_000));
    await delay(waitMs, undefined, { signal }).catch(() => {});
  }
}
