import type { V1ContainerState, V1Pod } from '@kubernetes/client-node';

/** No code of ours is, or will be, served by it: it has ended, or its end has begun. Pure. */
export function hasEnded(pod: V1Pod): boolean {
  const { phase } = pod.status ?? {};
  return isBeingDeleted(pod) || phase === 'Succeeded' || phase === 'Failed' || agentState(pod).terminated !== undefined;
}

/**
 * Nothing of it runs, nor will again: its deletion is under way and the container has ended. The kubelet may leave the object for tens of
 * seconds more. Pure.
 */
export const isGone = (pod: V1Pod) => isBeingDeleted(pod) && agentState(pod).terminated !== undefined;

/** Pure. */
export const isBeingDeleted = ({ metadata }: V1Pod) => metadata?.deletionTimestamp !== undefined;

/** Its agent has been started and has an address; it need not answer yet. Pure. */
export function isRunning(pod: V1Pod): boolean {
  return !hasEnded(pod) && pod.status?.phase === 'Running' && Boolean(pod.status.podIP);
}

/** The state of the one container, empty where the kubelet has not said anything yet. Pure. */
export function agentState({ status }: V1Pod): V1ContainerState {
  return status?.containerStatuses?.[0]?.state ?? {};
}
