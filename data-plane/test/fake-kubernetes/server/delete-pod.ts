import type { Collection } from './collection.ts';
import { type Pod, timestamp } from './objects.ts';
import { conflict, notFound } from './refusal.ts';

export type DeleteOptions = {
  gracePeriodSeconds?: number;
  preconditions?: { uid?: string; resourceVersion?: string };
};

/**
 * `DELETE …/pods/{name}`: marks a pod that runs, which is removed when its kubelet has ended it. A pod that does not run, or whose grace is
 * zero, is removed at once.
 * @throws Refusal 404, 409 if a precondition does not hold
 */
export function deletePod(pods: Collection<Pod>, { name, options }: { name: string; options: DeleteOptions }): Pod {
  const target = { resource: 'pods', name } as const;
  const pod = pods.find(name);
  if (!pod) throw notFound(target);
  for (const field of ['uid', 'resourceVersion'] as const) {
    const wanted = options.preconditions?.[field];
    const found = pod.metadata[field];
    if (wanted && wanted !== found)
      throw conflict(target, `${field} in precondition: ${wanted}, in object meta: ${found}`);
  }
  const grace = graceOf(pod, options.gracePeriodSeconds);
  const deleted = grace === 0 ? pods.remove(name) : pods.update(name, (draft) => mark(draft, grace));
  return deleted ?? pod;
}

function graceOf({ spec, status, metadata }: Pod, asked: number | undefined): number {
  const runs = spec.nodeName && status.phase !== 'Failed' && status.phase !== 'Succeeded';
  const grace = runs ? (asked ?? spec.terminationGracePeriodSeconds) : 0;
  return Math.min(grace, metadata.deletionGracePeriodSeconds ?? grace);
}

function mark({ metadata }: Pod, grace: number): void {
  metadata.deletionGracePeriodSeconds = grace;
  metadata.deletionTimestamp ??= timestamp(new Date(Date.now() + grace * 1000));
}
