import type { V1Pod } from '@kubernetes/client-node';
import type { SandboxCause, SandboxKey } from '../../runtime.ts';
import type { PodApi } from '../api/pod-api.ts';
import { retryCall } from '../api/retry-call.ts';
import { podCause } from '../pod/pod-cause.ts';
import { hasEnded } from '../pod/pod-state.ts';
import type { PodCache } from './pod-cache.ts';

export type ExplainDependencies = {
  api: Pick<PodApi, 'get' | 'events' | 'isDown'>;
  podCache: Pick<PodCache, 'find'>;
};

/**
 * Why this incarnation has ended or is gone. The first observation decides: a pod that ended by itself may be deleted afterwards.
 * @throws ApiError if the cluster does not answer and the cache does not know the reason
 */
export async function explainPod(deps: ExplainDependencies, { name, uid }: SandboxKey): Promise<SandboxCause> {
  const seen = deps.podCache.find(uid);
  if (seen && hasEnded(seen)) return await causeOf(deps, { pod: seen, uid, gone: false });
  const found = await retryCall(deps, { call: () => deps.api.get(name) });
  const pod = found?.metadata?.uid === uid ? found : null;
  return await causeOf(deps, { pod: pod ?? seen, uid, gone: pod === null });
}

/** Reads events only if they may say more than the pod. Nearly always they say the same. */
async function causeOf(
  { api }: ExplainDependencies,
  { pod, uid, gone }: { pod: V1Pod | null; uid: string; gone: boolean },
): Promise<SandboxCause> {
  const cause = podCause({ pod, gone });
  if (cause?.reason !== 'deleted_by_operator') return cause ?? unknown;
  const events = await api.events(uid).catch(() => []);
  return podCause({ pod, gone, events }) ?? cause;
}

const unknown: SandboxCause = { reason: 'sandbox_lost', message: 'the cluster shows the pod as running' };
