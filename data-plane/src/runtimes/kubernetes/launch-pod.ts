import type { V1Pod } from '@kubernetes/client-node';
import type { Leftovers } from '../leftovers.ts';
import { type Owner, type Sandbox, SandboxError } from '../runtime.ts';
import { ApiError } from './api/api-error.ts';
import type { PodApi } from './api/pod-api.ts';
import { retryCall } from './api/retry-call.ts';
import type { Leftover } from './destroy-pod.ts';
import { type ExplainDependencies, explainPod } from './observe/explain-pod.ts';
import type { PodCache } from './observe/pod-cache.ts';
import { sandboxFromPod } from './observe/sandbox-from-pod.ts';
import { podCause } from './pod/pod-cause.ts';
import { isOurs } from './pod/pod-labels.ts';
import { hasEnded, isGone, isRunning } from './pod/pod-state.ts';
import { findStartObstacle, startObstacle } from './start-obstacle.ts';

export type LaunchDependencies = ExplainDependencies & {
  api: Pick<PodApi, 'create' | 'get' | 'events' | 'isDown'>;
  podCache: Pick<PodCache, 'find' | 'waitForChange'>;
  leftovers: Pick<Leftovers<Leftover>, 'remove' | 'cancelRemoval'>;
  owner: Owner;
};

/** Polls in case the watch misses a change. */
const pollMs = 1000;

/**
 * Creates the pod, or finds the one with its name, and waits until it runs. A launch that fails leaves no pod, or one that is removed once
 * the API server can be reached again.
 * @throws ApiError, SandboxError, or `signal`'s reason. If that reason is a deadline and the cluster says why the pod did not start, a
 * SandboxError with that cause
 */
export async function launchPod(
  deps: LaunchDependencies,
  { manifest, signal }: { manifest: V1Pod; signal: AbortSignal },
): Promise<Sandbox> {
  signal.throwIfAborted();
  const name = manifest.metadata?.name ?? '';
  let pod: V1Pod | null = null;
  await deps.leftovers.cancelRemoval(name);
  try {
    pod = await createOrFind(deps, { manifest, name, signal });
    return await untilRunning(deps, { pod, signal });
  } catch (error) {
    const uid = pod?.metadata?.uid;
    const obstacle = uid && isDeadline(signal) ? await findStartObstacle(deps, { name, uid }) : null;
    await deps.leftovers.remove({ name, ...(uid && { uid }) });
    throw signal.aborted ? (obstacle ?? signal.reason) : error;
  }
}

type Creation = { manifest: V1Pod; name: string; signal: AbortSignal };

/**
 * A creation is never abandoned half-way, because the server might still finish it; it has a deadline of its own. If its answer was lost, the
 * repeat finds the name taken.
 */
async function createOrFind(deps: LaunchDependencies, { manifest, name, signal }: Creation): Promise<V1Pod> {
  for (;;) {
    try {
      return await retryCall(deps, { call: () => deps.api.create(manifest), signal });
    } catch (error) {
      if (!(error instanceof ApiError) || error.kind !== 'already-exists') throw error;
    }
    const found = await retryCall(deps, { call: () => deps.api.get(name), signal });
    if (found && !isGone(found)) return usable(deps, found);
    // The name becomes free when the kubelet removes the earlier incarnation.
    if (found) await deps.podCache.waitForChange(name, { ms: pollMs, signal });
    signal.throwIfAborted();
  }
}

function usable({ owner }: LaunchDependencies, pod: V1Pod): V1Pod {
  const { name, labels } = pod.metadata ?? {};
  if (!isOurs(owner, labels))
    throw new SandboxError('sandbox_start_failed', `pod ${name} belongs to another deployment or database`);
  if (!hasEnded(pod)) return pod;
  const message = podCause({ pod, gone: false })?.message ?? 'the cause is unknown';
  throw new SandboxError('sandbox_start_failed', `pod ${name} has already ended: ${message}`);
}

async function untilRunning(
  deps: LaunchDependencies,
  { pod, signal }: { pod: V1Pod; signal: AbortSignal },
): Promise<Sandbox> {
  const { name = '', uid = '' } = pod.metadata ?? {};
  for (let polled: V1Pod | null = pod; ; ) {
    if (polled?.metadata?.uid !== uid) throw await ending(deps, { name, uid });
    for (const seen of [polled, deps.podCache.find(uid) ?? polled]) {
      if (isRunning(seen)) return sandboxFromPod(seen);
      if (hasEnded(seen)) throw await ending(deps, { name, uid });
      const cause = startObstacle(seen);
      if (cause && cause.reason !== 'unschedulable') throw cause;
    }
    const isNews = await deps.podCache.waitForChange(name, { ms: pollMs, signal });
    if (!isNews) polled = await retryCall(deps, { call: () => deps.api.get(name), signal });
  }
}

async function ending(deps: LaunchDependencies, key: { name: string; uid: string }): Promise<SandboxError> {
  const { reason, message } = await explainPod(deps, key);
  return new SandboxError(reason, message);
}

const isDeadline = ({ reason }: AbortSignal) => reason instanceof DOMException && reason.name === 'TimeoutError';
