import type { SandboxKey } from '../../runtime.ts';
import { type ContainerEnd, type EngineContainer, hasEnded } from '../engine/engine-container.ts';
import type { EngineEvent } from '../engine/engine-events.ts';
import { ownLabels } from '../engine/labels.ts';
import type { ObservedExit } from './container-cause.ts';

export type ContainerExits = ReturnType<typeof createContainerExits>;

/** Long enough for a resync to find that a container is missing and to ask why. */
const rememberMs = 10 * 60_000;

/**
 * Remembers which containers run and how others ended, for a while also after they are gone. Everything here is only a hint; an
 * observation that counts asks the engine.
 */
export function createContainerExits({ now = Date.now }: { now?: () => number } = {}) {
  const living = new Map<string, SandboxKey>();
  const byUid = new Map<string, ObservedExit & { seenAt: number }>();
  const endedByUs = new Map<string, number>();
  const listeners: ((sandbox: SandboxKey) => void)[] = [];

  return {
    /** Takes a complete list: a container that it lacks is gone. */
    replaceAll(containers: readonly EngineContainer[]): void {
      const running = containers.filter(({ status }) => !hasEnded(status)).map(keyOf);
      const still = new Set(running.map(({ uid }) => uid));
      for (const key of living.values()) if (!still.has(key.uid)) reportEnd(key);
      for (const key of running) living.set(key.uid, key);
      for (const { labels, status } of containers) {
        if (hasEnded(status) && !byUid.has(labels[ownLabels.uid] ?? '')) reportEnd(keyOf({ labels }));
      }
      dropOld();
    },

    /** Takes an event. Returns true if the container has just ended, so that the caller inspects it. */
    apply({ action, labels, at }: EngineEvent): boolean {
      const key = keyOf({ labels });
      if (action === 'start') living.set(key.uid, key);
      if (action === 'kill' && !endedByUs.has(key.uid)) note(key.uid, { killed: true });
      if (action === 'destroy' || action === 'remove') note(key.uid, { removedAt: at });
      if (action === 'destroy' || action === 'remove' || action === 'die') reportEnd(key);
      return action === 'die';
    },

    /** Stores how a container ended, as it was read while the container still existed. */
    record(uid: string, end: ContainerEnd): void {
      note(uid, { end });
    },

    /** Everything known of a container's end. If nothing was observed, every field is null or false. */
    find: (uid: string): ObservedExit => byUid.get(uid) ?? { end: null, killed: false, removedAt: null },

    /** We are about to end this incarnation, so listeners are not told. */
    expectEnd(uid: string): void {
      endedByUs.set(uid, now());
    },

    onEnded(listener: (sandbox: SandboxKey) => void): void {
      listeners.push(listener);
    },
  };

  function note(uid: string, seen: Partial<ObservedExit>): void {
    const before = byUid.get(uid) ?? { end: null, killed: false, removedAt: null };
    byUid.set(uid, { ...before, ...seen, seenAt: now() });
  }

  function reportEnd(key: SandboxKey): void {
    living.delete(key.uid);
    note(key.uid, {});
    if (endedByUs.has(key.uid)) return;
    for (const listener of listeners) listener(key);
  }

  function dropOld(): void {
    for (const [uid, { seenAt }] of byUid) if (now() - seenAt > rememberMs) byUid.delete(uid);
    for (const [uid, at] of endedByUs) if (now() - at > rememberMs) endedByUs.delete(uid);
  }
}

const keyOf = ({ labels }: Pick<EngineContainer, 'labels'>): SandboxKey => ({
  name: labels[ownLabels.sandbox] ?? '',
  uid: labels[ownLabels.uid] ?? '',
});
