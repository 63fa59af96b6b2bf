import type { Change } from '../server/collection.ts';
import type { Pod } from '../server/objects.ts';
import { type LifeDependencies, type PodLife, startPodLife } from './pod-life.ts';

export type Kubelet = ReturnType<typeof startKubelet>;

/** Starts every pod that is created, and ends it when its object says so. */
export function startKubelet(deps: LifeDependencies) {
  const lives = new Map<string, PodLife>();

  const unfollow = deps.pods.follow(({ type, object }: Change<Pod>) => {
    const { uid, deletionTimestamp, deletionGracePeriodSeconds = 0 } = object.metadata;
    const life = lives.get(uid);
    if (type === 'ADDED') begin(object);
    else if (type === 'DELETED') life?.abandon();
    else if (deletionTimestamp) life?.stop(deletionGracePeriodSeconds);
  });

  function begin(pod: Pod): void {
    const life = startPodLife(deps, pod);
    lives.set(pod.metadata.uid, life);
    void life.ended.finally(() => lives.delete(pod.metadata.uid));
  }

  return {
    /** The life of the pod that has this name now. @throws Error if there is none */
    lifeOf(name: string): PodLife {
      const life = lives.get(deps.pods.find(name)?.metadata.uid ?? '');
      if (!life) throw new Error(`no pod ${name} lives`);
      return life;
    },
    /** Kills everything and waits until it is gone. */
    async close(): Promise<void> {
      unfollow();
      for (const life of lives.values()) life.abandon();
      await Promise.all([...lives.values()].map(({ ended }) => ended));
    },
  };
}
