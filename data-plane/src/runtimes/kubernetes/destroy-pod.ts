import type { Owner, SandboxKey } from '../runtime.ts';
import type { PodApi } from './api/pod-api.ts';
import { retryCall } from './api/retry-call.ts';
import type { PodCache } from './observe/pod-cache.ts';
import { isOurs } from './pod/pod-labels.ts';
import { isGone } from './pod/pod-state.ts';

export type DestroyDependencies = {
  api: Pick<PodApi, 'remove' | 'get' | 'isDown'>;
  podCache: Pick<PodCache, 'find' | 'expectEnd' | 'waitForChange'>;
  owner: Owner;
  closing: AbortSignal;
};

const pollMs = 500;

/**
 * Deletes this incarnation and waits until all its processes have ended. The kubelet reports that before the object is gone. Never deletes
 * by force: that would remove the object while the processes still run. Does nothing to a pod of another owner.
 * @returns false if they may still run after `withinMs`; the deletion itself stands
 * @throws ApiError
 */
export async function destroyPod(
  { api, podCache, owner, closing }: DestroyDependencies,
  { name, uid, withinMs }: SandboxKey & { withinMs: number },
): Promise<boolean> {
  const deadline = Date.now() + withinMs;
  // The cache has only pods of this owner.
  if (!podCache.find(uid)) {
    const found = await retryCall({ api }, { call: () => api.get(name), signal: closing });
    if (found?.metadata?.uid !== uid || !isOurs(owner, found.metadata.labels)) return true;
  }
  podCache.expectEnd(uid);
  if (!(await retryCall({ api }, { call: () => api.remove({ name, uid }), signal: closing }))) return true;
  while (Date.now() < deadline) {
    await podCache.waitForChange(name, { ms: pollMs, signal: closing });
    const found = await retryCall({ api }, { call: () => api.get(name), signal: closing });
    if (found?.metadata?.uid !== uid || isGone(found)) return true;
  }
  return false;
}

/** The pod of a failed launch. Without a uid it is not known whether the pod was created. */
export type Leftover = { name: string; uid?: string };

/** The caller of a failed launch waits no longer than this. */
const leftoverWithinMs = 2000;

/** Destroys the pod of a failed launch, unless the name belongs to another incarnation or owner. @throws ApiError */
export async function destroyLeftover(deps: DestroyDependencies, { name, uid }: Leftover): Promise<void> {
  const found = await retryCall(deps, { call: () => deps.api.get(name), signal: deps.closing });
  const { metadata } = found ?? {};
  if (!metadata?.uid || (uid && uid !== metadata.uid) || !isOurs(deps.owner, metadata.labels)) return;
  await destroyPod(deps, { name, uid: metadata.uid, withinMs: leftoverWithinMs });
}
