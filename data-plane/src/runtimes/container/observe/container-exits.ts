import type { SandboxKey } from '../../runtime.ts';
import { type ContainerEnd, type EngineContainer, hasEnded } from '../engine/engine-container.ts';
import type { EngineEvent } from '../engine/engine-events.ts';
import { ownLabels } from '../engine/labels.ts';
import type { EndSeen } from './container-cause.ts';

export type ContainerExits = ReturnType<typeof createContainerExits>;

/** Long enough for whoever finds a container missing to ask why. */
const rememberMs = 10 * 60_000;

/**
 * What was seen of containers and their exits, also for a while of those that are gone. Nothing here is more than a hint: an observation that
 * counts asks the engine.
 */
export function createContainerExits({ now = Date.now }: { now?: () => number } = {}) {
  const living = new Map<string, SandboxKey>();
  const byUid = new Map<string, EndSeen & { seenAt: number }>();
  const ourDoing = new Map<string, number>();
  const listeners: ((sandbox: SandboxKey) => void)[] = [];

  return {
    /** Takes the answer to a complete list: what it lacks is gone. */
    replaceAll(containers: readonly EngineContainer[]): void {
      const running = containers.filter(({ status }) => !hasEnded(status)).map(keyOf);
      const still = new Set(running.map(({ uid }) => uid));
      for (const key of living.values()) if (!still.has(key.uid)) lose(key);
      for (const key of running) living.set(key.uid, key);
      for (const { labels, status } of containers) {
        if (hasEnded(status) && !byUid.has(labels[ownLabels.uid] ?? '')) lose(keyOf({ labels }));
      }
      forgetOld();
    },

    /** True where the container has just ended, so that it is worth a look. */
    apply({ action, labels, at }: EngineEvent): boolean {
      const key = keyOf({ labels });
      if (action === 'start') living.set(key.uid, key);
      if (action === 'kill' && !ourDoing.has(key.uid)) note(key.uid, { killed: true });
      if (action === 'destroy' || action === 'remove') note(key.uid, { removedAt: at });
      if (action === 'destroy' || action === 'remove' || action === 'die') lose(key);
      return action === 'die';
    },

    /** How it ended, read while it was there. */
    record(uid: string, end: ContainerEnd): void {
      note(uid, { end });
    },

    /** What is known of its end; nothing of it was seen where all is null. */
    find: (uid: string): EndSeen => byUid.get(uid) ?? { end: null, killed: false, removedAt: null },

    /** The end of this incarnation is wanted, so no listener need hear of it. */
    expectEnd(uid: string): void {
      ourDoing.set(uid, now());
    },

    onEnded(listener: (sandbox: SandboxKey) => void): void {
      listeners.push(listener);
    },
  };

  function note(uid: string, seen: Partial<EndSeen>): void {
    const before = byUid.get(uid) ?? { end: null, killed: false, removedAt: null };
    byUid.set(uid, { ...before, ...seen, seenAt: now() });
  }

  function lose(key: SandboxKey): void {
    living.delete(key.uid);
    note(key.uid, {});
    if (ourDoing.has(key.uid)) return;
    for (const listener of listeners) listener(key);
  }

  function forgetOld(): void {
    for (const [uid, { seenAt }] of byUid) if (now() - seenAt > rememberMs) byUid.delete(uid);
    for (const [uid, at] of ourDoing) if (now() - at > rememberMs) ourDoing.delete(uid);
  }
}

const keyOf = ({ labels }: Pick<EngineContainer, 'labels'>): SandboxKey => ({
  name: labels[ownLabels.sandbox] ?? '',
  uid: labels[ownLabels.uid] ?? '',
});
