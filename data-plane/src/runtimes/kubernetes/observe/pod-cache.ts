import { setTimeout as delay } from 'node:timers/promises';
import type { V1Pod } from '@kubernetes/client-node';
import type { SandboxKey } from '../../runtime.ts';
import type { PodEvent } from '../api/watch-pods.ts';
import { hasEnded, isBeingDeleted } from '../pod/pod-state.ts';

/** The last known state of one incarnation; `goneAt` is in ms since 1970. */
type CachedPod = { pod: V1Pod; goneAt: number | null };

export type PodCache = ReturnType<typeof createPodCache>;

/** Long enough for a resync to find that a pod is missing and to ask why. */
const rememberGoneMs = 10 * 60_000;

/**
 * Remembers the pods as they were last seen, for a while also those that are gone, and hints that a pod has ended. Everything here is only a
 * hint; an observation that counts asks the API server.
 */
export function createPodCache({ now = Date.now }: { now?: () => number } = {}) {
  const byUid = new Map<string, CachedPod>();
  const waiting = new Map<string, Set<() => void>>();
  const listeners: ((sandbox: SandboxKey) => void)[] = [];
  const endedByUs = new Set<string>();

  return {
    /** Takes a complete list: a pod that it lacks is gone. */
    replaceAll(pods: readonly V1Pod[]): void {
      const listed = new Set(pods.map(uidOf));
      for (const pod of pods) see(pod);
      for (const [uid, { pod, goneAt }] of byUid) {
        if (!listed.has(uid) && goneAt === null) markGone(pod);
        if (goneAt !== null && now() - goneAt > rememberGoneMs) byUid.delete(uid);
      }
      for (const uid of endedByUs) if (!byUid.has(uid)) endedByUs.delete(uid);
    },

    apply({ type, pod }: PodEvent): void {
      if (type === 'DELETED') markGone(pod);
      else if (type !== 'BOOKMARK') see(pod);
    },

    /** The pod as it was last seen, or as it was when it ended by itself. */
    find: (uid: string): V1Pod | null => byUid.get(uid)?.pod ?? null,

    /** Resolves with true when a pod with this name changes, and with false after `ms`. Rejects with `signal`'s reason. */
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

    /** We are about to end this incarnation, so listeners are not told. */
    expectEnd(uid: string): void {
      endedByUs.add(uid);
    },

    onEnded(listener: (sandbox: SandboxKey) => void): void {
      listeners.push(listener);
    },
  };

  function see(pod: V1Pod): void {
    const before = byUid.get(uidOf(pod));
    // If a pod ended by itself and is deleted afterwards, the first of the two is the reason.
    if (before && hasEnded(before.pod) && !isBeingDeleted(before.pod)) return;
    byUid.set(uidOf(pod), { pod: withoutOwnFields(pod), goneAt: before?.goneAt ?? null });
    tell(pod, { ended: hasEnded(pod) && !(before && hasEnded(before.pod)) });
  }

  function markGone(pod: V1Pod): void {
    see(pod);
    const cached = byUid.get(uidOf(pod));
    if (!cached || cached.goneAt !== null) return;
    cached.goneAt = now();
    tell(pod, { ended: true });
  }

  function tell(pod: V1Pod, { ended }: { ended: boolean }): void {
    const name = pod.metadata?.name ?? '';
    for (const wake of waiting.get(name) ?? []) wake();
    if (!ended || endedByUs.has(uidOf(pod))) return;
    for (const listener of listeners) listener({ name, uid: uidOf(pod) });
  }
}

const uidOf = ({ metadata }: V1Pod) => metadata?.uid ?? '';

/** Thousands of pods are remembered, so the fields that we wrote ourselves and never read again are left out. */
const withoutOwnFields = ({ metadata, spec, status }: V1Pod): V1Pod => ({
  metadata: { ...metadata, managedFields: undefined, annotations: undefined },
  spec: { containers: [], nodeName: spec?.nodeName },
  status,
});
