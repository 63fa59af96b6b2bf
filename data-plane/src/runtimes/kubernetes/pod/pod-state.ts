import type { V1ContainerState, V1Pod } from '@kubernetes/client-node';

/** The pod has ended, or its end has begun, so it serves no more steps. Pure. */
export function hasEnded(pod: V1Pod): boolean {
  const { phase } = pod.status ?? {};
  return isBeingDeleted(pod) || phase === 'Succeeded' || phase === 'Failed' || agentState(pod).terminated !== undefined;
}

/**
 * Nothing of the pod runs or will run again: its deletion is under way and the container has ended. The kubelet may leave the object for
 * tens of seconds more. Pure.
 */
export const isGone = (pod: V1Pod) => isBeingDeleted(pod) && agentState(pod).terminated !== undefined;

/** Pure. */
export const isBeingDeleted = ({ metadata }: V1Pod) => metadata?.deletionTimestamp !== undefined;

/** The agent has been started and has an address; it need not answer yet. Pure. */
export function isRunning(pod: V1Pod): boolean {
  return !hasEnded(pod) && pod.status?.phase === 'Running' && Boolean(pod.status.podIP);
}

/** The state of the only container, or an empty object if the kubelet has not reported it yet. Pure. */
export function agentState({ status }: V1Pod): V1ContainerState {
  return status?.containerStatuses?.[0]?.state ?? {};
}
