import { setTimeout as delay } from 'node:timers/promises';
import type { V1Pod } from '@kubernetes/client-node';
import type { SandboxKey } from '../../runtime.ts';
import type { PodEvent } from '../api/watch-pods.ts';
import { hasEnded, isBeingDeleted } from '../pod/pod-state.ts';

/** What is remembered of one incarnation; `goneAt` in ms since 1970. */
type CachedPod = { pod: V1Pod; goneAt: number | null };

export type PodCache = ReturnType<typeof createPodCache>;

/** Long enough for whoever finds a pod missing to ask why. */
const rememberGoneMs = 10 * 60_000;

/**
 * The pods as they were last seen, also for a while those that are gone. Nothing here is more than a hint: an observation that counts
 * asks the API server.
 */
export function createPodCache({ now = Date.now }: { now?: () => number } = {}) {
  const byUid = new Map<string, CachedPod>();
  const waiting = new Map<string, Set<() => void>>();
  const listeners: ((sandbox: SandboxKey) => void)[] = [];
  const ourDoing = new Set<string>();

  return {
    /** Takes the answer to a complete list: what it lacks is gone. */
    replaceAll(pods: readonly V1Pod[]): void {
      const listed = new Set(pods.map(uidOf));
      for (const pod of pods) see(pod);
      for (const [uid, { pod, goneAt }] of byUid) {
        if (!listed.has(uid) && goneAt === null) lose(pod);
        if (goneAt !== null && now() - goneAt > rememberGoneMs) byUid.delete(uid);
      }
      for (const uid of ourDoing) if (!byUid.has(uid)) ourDoing.delete(uid);
    },

    apply({ type, pod }: PodEvent): void {
      if (type === 'DELETED') lose(pod);
      else if (type !== 'BOOKMARK') see(pod);
    },

    /** The incarnation as it was last seen, or as it was when it ended by itself. */
    find: (uid: string): V1Pod | null => byUid.get(uid)?.pod ?? null,

    /** Resolves once there is news of a pod of this name; false: there was none for `ms`. Rejects with `signal`'s reason. */
    async waitForChange(name: string, { ms, signal }: { ms: number; signal: AbortSignal }): Promise<boolean> {
      const settled = new AbortController();
      const wake = () => settled.abort();
      waiting.set(name, (waiting.get(name) ?? new Set()).add(wake));
      try {
        await delay(ms, undefined, { signal: AbortSignal.any([signal, settled.signal]) }).catch(() => {});
        signal.throwIfAborted();
        return settled.signal.aborted;
      } finally {
        waiting.get(name)?.delete(wake);
        if (waiting.get(name)?.size === 0) waiting.delete(name);
      }
    },

    /** The end of this incarnation is wanted, so no listener need hear of it. */
    expectEnd(uid: string): void {
      ourDoing.add(uid);
    },

    onEnded(listener: (sandbox: SandboxKey) => void): void {
      listeners.push(listener);
    },
  };

  function see(pod: V1Pod): void {
    const before = byUid.get(uidOf(pod));
    // A pod that ended by itself and is then deleted ended for the first of the two reasons.
    if (before && hasEnded(before.pod) && !isBeingDeleted(before.pod)) return;
    byUid.set(uidOf(pod), { pod: essence(pod), goneAt: before?.goneAt ?? null });
    tell(pod, { ended: hasEnded(pod) && !(before && hasEnded(before.pod)) });
  }

  function lose(pod: V1Pod): void {
    see(pod);
    const cached = byUid.get(uidOf(pod));
    if (!cached || cached.goneAt !== null) return;
    cached.goneAt = now();
    tell(pod, { ended: true });
  }

  function tell(pod: V1Pod, { ended }: { ended: boolean }): void {
    const name = pod.metadata?.name ?? '';
    for (const wake of waiting.get(name) ?? []) wake();
    if (!ended || ourDoing.has(uidOf(pod))) return;
    for (const listener of listeners) listener({ name, uid: uidOf(pod) });
  }
}

const uidOf = ({ metadata }: V1Pod) => metadata?.uid ?? '';

/** Thousands of them are kept: without what we wrote ourselves and nobody asks for again. */
const essence = ({ metadata, spec, status }: V1Pod): V1Pod => ({
  metadata: { ...metadata, managedFields: undefined, annotations: undefined },
  spec: { containers: [], nodeName: spec?.nodeName },
  status,
});
