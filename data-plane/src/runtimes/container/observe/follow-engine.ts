import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../../../observability/logger.ts';
import type { Engine } from '../engine/engine.ts';
import type { EngineContainer } from '../engine/engine-container.ts';
import type { EngineEvent } from '../engine/engine-events.ts';
import { ownLabels } from '../engine/labels.ts';
import type { ContainerExits } from './container-exits.ts';

export type FollowDependencies = {
  engine: Pick<Engine, 'events' | 'listContainers' | 'inspectContainer'>;
  exits: Pick<ContainerExits, 'replaceAll' | 'apply' | 'record'>;
  /** After each complete list. */
  onList(containers: readonly EngineContainer[]): void;
  log: Pick<Logger, 'warn' | 'info'>;
};

export type FollowTimes = {
  /** Time between two complete lists, which catch events that never arrived. */
  listMs: number;
  pauseMs: { first: number; max: number };
};

export const followTimes: FollowTimes = { listMs: 30_000, pauseMs: { first: 100, max: 5000 } };

/**
 * Keeps `exits` up to date from the engine's events, and from a complete list whenever the events start again and at regular intervals. If
 * the engine does not answer, it is asked again with growing pauses.
 */
export function followEngine(deps: FollowDependencies, times: FollowTimes = followTimes) {
  const closing = new AbortController();
  const { signal } = closing;
  const following = Promise.all([followEvents(deps, { times, signal }), listRegularly(deps, { times, signal })]);
  return {
    async close(): Promise<void> {
      closing.abort();
      await following;
    },
  };
}

type Following = { times: FollowTimes; signal: AbortSignal };

async function followEvents(deps: FollowDependencies, { times, signal }: Following): Promise<void> {
  for (let failures = 0; !signal.aborted; ) {
    try {
      // The events are open before the list is read, so no end falls between the two.
      const events = await deps.engine.events(signal);
      await takeList(deps);
      if (failures > 0) deps.log.info({ failures }, 'the container engine is followed again');
      failures = 0;
      for await (const event of events) await take(deps, event);
      if (!signal.aborted) failures += 1;
    } catch (err) {
      if (signal.aborted) return;
      if (failures === 0) deps.log.warn({ err }, 'the container engine cannot be followed');
      failures += 1;
    }
    await pause(Math.min(times.pauseMs.first * 2 ** Math.min(failures, 20), times.pauseMs.max), signal);
  }
}

async function listRegularly(deps: FollowDependencies, { times, signal }: Following): Promise<void> {
  for (;;) {
    await pause(times.listMs * (0.8 + Math.random() / 5), signal);
    if (signal.aborted) return;
    // If the engine is away, `followEvents` logs it.
    await takeList(deps).catch(() => {});
  }
}

async function takeList({ engine, exits, onList }: FollowDependencies): Promise<void> {
  const containers = await engine.listContainers();
  exits.replaceAll(containers);
  onList(containers);
}

/** A container that is removed at once is gone before it can be inspected. */
async function take({ engine, exits }: FollowDependencies, event: EngineEvent): Promise<void> {
  if (!exits.apply(event)) return;
  const seen = await engine.inspectContainer(event.id).catch(() => null);
  if (seen?.end) exits.record(event.labels[ownLabels.uid] ?? '', seen.end);
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => {});
}
