import type { SandboxKey } from '../runtime.ts';
import type { PodApi } from './pod-api.ts';
import type { Sightings } from './pod-cache.ts';
import { isGone } from './pod-state.ts';
import { retrying } from './retrying.ts';

export type RemoveDependencies = {
  api: Pick<PodApi, 'remove' | 'get' | 'isDown'>;
  sightings: Pick<Sightings, 'expectEnd' | 'news'>;
  closing: AbortSignal;
};

const pollMs = 500;

/**
 * Deletes this incarnation and waits until all its processes have ended, which the kubelet tells before it lets the object go. Never by
 * force, which would remove the object first.
 * @returns false where they may still run after `withinMs`; the deletion itself is not taken back
 * @throws ApiError
 */
export async function removePod(
  { api, sightings, closing }: RemoveDependencies,
  { name, uid, withinMs }: SandboxKey & { withinMs: number },
): Promise<boolean> {
  const deadline = Date.now() + withinMs;
  sightings.expectEnd(uid);
  if (!(await retrying({ api }, { call: () => api.remove({ name, uid }), signal: closing }))) return true;
  while (Date.now() < deadline) {
    await sightings.news(name, { ms: pollMs, signal: closing });
    const found = await retrying({ api }, { call: () => api.get(name), signal: closing });
    if (found?.metadata?.uid !== uid || isGone(found)) return true;
  }
  return false;
}
