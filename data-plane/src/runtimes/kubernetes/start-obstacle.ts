import type { V1Pod } from '@kubernetes/client-node';
import { SandboxError, type SandboxKey } from '../runtime.ts';
import type { PodApi } from './api/pod-api.ts';
import { podCause } from './pod/pod-cause.ts';

/** The reason in the pod's own status why it does not start, or null. A full cluster may have room later. Pure. */
export function startObstacle(pod: V1Pod): SandboxError | null {
  const cause = podCause({ pod, gone: false });
  if (!cause) return null;
  const options = cause.reason === 'unschedulable' ? { retryAfterSeconds: 10 } : {};
  return new SandboxError(cause.reason, cause.message, options);
}

/** Finds the reason why a pod has not started in time: its status, else the last warning event. Null if the cluster does not answer. */
export async function findStartObstacle(
  { api }: { api: Pick<PodApi, 'get' | 'events'> },
  { name, uid }: SandboxKey,
): Promise<SandboxError | null> {
  const pod = await api.get(name).catch(() => null);
  if (pod?.metadata?.uid !== uid) return null;
  const said = startObstacle(pod);
  if (said) return said;
  const events = await api.events(uid).catch(() => []);
  const warning = events.findLast(({ type }) => type === 'Warning');
  if (!warning) return null;
  return new SandboxError('sandbox_start_timeout', `${warning.reason}: ${warning.message}`.slice(0, 1000));
}
