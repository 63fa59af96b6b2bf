import type { SandboxKey } from '../runtime.ts';
import type { PodApi } from './api/pod-api.ts';
import { retryCall } from './api/retry-call.ts';
import type { PodCache } from './observe/pod-cache.ts';
import { isOurs } from './pod/pod-labels.ts';
import { isGone } from './pod/pod-state.ts';

export type DestroyDependencies = {
  api: Pick<PodApi, 'remove' | 'get' | 'isDown'>;
  podCache: Pick<PodCache, 'expectEnd' | 'waitForChange'>;
  closing: AbortSignal;
};

const pollMs = 500;

/**
 * Deletes this incarnation and waits until all its processes have ended. The kubelet reports that before the object is gone. Never deletes
 * by force: that would remove the object while the processes still run.
 * @returns false if they may still run after `withinMs`; the deletion itself stands
 * @throws ApiError
 */
export async function destroyPod(
  { api, podCache, closing }: DestroyDependencies,
  { name, uid, withinMs }: SandboxKey & { withinMs: number },
): Promise<boolean> {
  const deadline = Date.now() + withinMs;
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

/** Destroys the pod of a failed launch, unless the name belongs to another incarnation or another deployment. @throws ApiError */
export async function destroyLeftover(
  deps: DestroyDependencies & { deployment: string },
  { name, uid }: Leftover,
): Promise<void> {
  const found = await retryCall(deps, { call: () => deps.api.get(name), signal: deps.closing });
  const { metadata } = found ?? {};
  if (!metadata?.uid || (uid && uid !== metadata.uid) || !isOurs(deps.deployment, metadata.labels)) return;
  await destroyPod(deps, { name, uid: metadata.uid, withinMs: leftoverWithinMs });
}
