import { languagesWithSnapshots } from '@holdfast/specs/public';
import type { AgentTarget } from '../agent/agent-client.ts';
import { AgentError } from '../agent/agent-error.ts';
import type { Logger } from '../observability/logger.ts';
import type { ContextToSave } from '../registry/snapshots/list-contexts-to-save.ts';
import { createBackOff } from '../timing/back-off.ts';
import type { MachineLoad } from '../timing/machine-load.ts';
import { type SnapshotDependencies, takeSnapshot } from './take-snapshot.ts';

type Dependencies = SnapshotDependencies & {
  log: Pick<Logger, 'warn'>;
  /** The way to a session's sandbox; null if the session is not active. */
  findRoute(sessionId: string): Promise<AgentTarget | null>;
  background(work: Promise<unknown>): void;
  /** The machine on which the sandboxes run, if it is this one. */
  machine: MachineLoad | null;
};

export type AutoSnapshots = ReturnType<typeof createAutoSnapshots>;

/** A context that changes again within this time is saved once. */
const settleMs = 300;
/** A snapshot may take this share of a context's time, which with the work of the others around it costs less than 3 % of the steps. */
const timeShare = 0.02;
/** While the machine is busy, one snapshot after the other may run for this share of its time. Less than half of that is the snapshots' own work. */
const busyShare = 0.03;
/** So that the large snapshot of one context does not keep all others waiting. */
const busyWaitMsMax = 3000;
/** As fast as this, large snapshots may replace each other. */
const bytesPerSecond = 2 * 2 ** 20;
const atOnceMax = 2;
const retry = { firstMs: 1000, maxMs: 60_000 };

type Pending = {
  context: ContextToSave;
  timer: NodeJS.Timeout | null;
  /** Whether its state changed since the last snapshot began. */
  isChanged: boolean;
  notBeforeMs: number;
  backOff: ReturnType<typeof createBackOff>;
};

/**
 * Saves contexts soon after their steps, while they are idle. It only forgets: a duty finds the contexts that a replica left unsaved when
 * it died, or gave up.
 */
export function createAutoSnapshots(deps: Dependencies) {
  const pending = new Map<string, Pending>();
  /** Contexts whose time has come, in that order. */
  const ready = new Set<Pending>();
  const stop = new AbortController();
  let running = 0;
  let room: NodeJS.Timeout | undefined;
  /** While the machine is busy, no snapshot begins before this time. */
  let nextIfBusyMs = 0;
  /** How long the last snapshot took. The first one is taken for a usual one. */
  let lastMs = 50;

  /** Counts a snapshot against the share of a busy machine: as long as it runs, with the time of the last one. */
  function count(): () => void {
    const { machine } = deps;
    if (!machine) return () => {};
    const spend = (ms: number) => {
      nextIfBusyMs = performance.now() + Math.min(busyWaitMsMax, ms / (busyShare * machine.processors));
    };
    const startedMs = performance.now();
    machine.begin();
    spend(lastMs);
    return () => {
      machine.end();
      lastMs = performance.now() - startedMs;
      spend(lastMs);
    };
  }

  function schedule(one: Pending): void {
    if (one.timer || ready.has(one) || stop.signal.aborted) return;
    const waitMs = Math.max(settleMs, one.notBeforeMs - performance.now());
    one.timer = setTimeout(() => {
      one.timer = null;
      ready.add(one);
      beginReady();
    }, waitMs);
    one.timer.unref();
  }

  /** Begins the snapshots for which there is room. The one that waited longest comes first, so that none waits for ever on a busy machine. */
  function beginReady(): void {
    for (const one of ready) {
      // The end of a snapshot comes back here.
      if (running >= atOnceMax) return;
      const waitMs = busyMs();
      if (waitMs > 0) {
        clearTimeout(room);
        room = setTimeout(beginReady, waitMs).unref();
        return;
      }
      ready.delete(one);
      begin(one);
    }
  }

  /** How long the next snapshot must wait for its share of the machine. */
  function busyMs(): number {
    const isBusy = deps.machine?.isBusy();
    if (isBusy === null) return settleMs;
    return isBusy ? nextIfBusyMs - performance.now() : 0;
  }

  function begin(one: Pending): void {
    running += 1;
    const finished = count();
    deps.background(
      save(one).finally(() => {
        running -= 1;
        finished();
        if (one.isChanged) schedule(one);
        else setTimeout(() => forget(one), Math.max(failedMs(one), one.notBeforeMs - performance.now())).unref();
        beginReady();
      }),
    );
  }

  /** A failure is remembered for longer than the next try has to wait. */
  const failedMs = ({ backOff }: Pending) => (backOff.failing ? retry.maxMs : 0);

  function forget(one: Pending): void {
    const now = performance.now();
    if (!one.timer && !one.isChanged && now >= one.notBeforeMs && !one.backOff.waits(now))
      pending.delete(keyOf(one.context));
  }

  async function save(one: Pending): Promise<void> {
    const { sessionId, contextId, language } = one.context;
    one.isChanged = false;
    const startedMs = performance.now();
    try {
      const route = await deps.findRoute(sessionId);
      if (!route) return;
      const taken = await takeSnapshot(deps, { route, contextId, language, signal: stop.signal });
      const now = performance.now();
      const size = taken?.size ?? 0;
      one.notBeforeMs = now + Math.max((now - startedMs) / timeShare, (size / bytesPerSecond) * 1000);
      one.backOff = createBackOff(retry);
    } catch (err) {
      // The step that makes it busy notes the context again when it ends.
      if (err instanceof AgentError && err.slug === 'context-busy') return;
      one.backOff.failed(performance.now());
      one.notBeforeMs = performance.now() + retry.firstMs;
      if (!stop.signal.aborted) deps.log.warn({ sessionId, contextId, err }, 'a context could not be saved');
    }
  }

  return {
    /** Says that a step has ended in this context. */
    note(context: ContextToSave): void {
      if (!languagesWithSnapshots.has(context.language)) return;
      deps.machine?.watch();
      const key = keyOf(context);
      let one = pending.get(key);
      if (!one) {
        one = { context, timer: null, isChanged: true, notBeforeMs: 0, backOff: createBackOff(retry) };
        pending.set(key, one);
      }
      one.isChanged = true;
      if (!one.backOff.waits(performance.now())) schedule(one);
    },

    close(): void {
      stop.abort();
      for (const { timer } of pending.values()) if (timer) clearTimeout(timer);
      clearTimeout(room);
      ready.clear();
      pending.clear();
    },
  };
}

const keyOf = ({ sessionId, contextId }: ContextToSave) => `${sessionId}/${contextId}`;
