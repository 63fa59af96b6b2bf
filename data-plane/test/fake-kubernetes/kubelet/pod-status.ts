import type { Condition, ContainerStatus, Pod, Terminated } from '../server/objects.ts';
import { timestamp } from '../server/objects.ts';

/** Sets a condition of a pod's status. A status has at most one condition of each type. */
export function setCondition({ status }: Pod, condition: Condition): void {
  status.conditions = [...(status.conditions ?? []).filter(({ type }) => type !== condition.type), condition];
}

export function setScheduled(pod: Pod, node: string): void {
  pod.spec.nodeName = node;
  setCondition(pod, { type: 'PodScheduled', status: 'True' });
}

export function setUnschedulable(pod: Pod): void {
  const message = '0/1 nodes are available: 1 Insufficient cpu.';
  setCondition(pod, { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message });
}

export function setWaiting(pod: Pod, waiting: { reason: string; message?: string }): void {
  pod.status.startTime ??= timestamp();
  setCondition(pod, { type: 'Initialized', status: 'True' });
  setCondition(pod, { type: 'Ready', status: 'False', reason: 'ContainersNotReady' });
  pod.status.containerStatuses = containers(pod, { ready: false, started: false, state: { waiting } });
}

export function setRunning(pod: Pod, address: string): void {
  pod.status.phase = 'Running';
  pod.status.podIP = address;
  pod.status.podIPs = [{ ip: address }];
  setCondition(pod, { type: 'Ready', status: 'True' });
  pod.status.containerStatuses = containers(pod, {
    ready: true,
    started: true,
    state: { running: { startedAt: timestamp() } },
  });
}

/** Records the end of a pod that is not restarted. The address stays in its status, although another pod may have it by now. */
export function setEnded(
  pod: Pod,
  { terminated, reason, message }: { terminated: Terminated; reason?: string; message?: string },
): void {
  pod.status.phase = terminated.exitCode === 0 && !reason ? 'Succeeded' : 'Failed';
  if (reason) pod.status.reason = reason;
  if (message) pod.status.message = message;
  setCondition(pod, { type: 'Ready', status: 'False', reason: 'PodFailed' });
  pod.status.containerStatuses = containers(pod, { ready: false, started: false, state: { terminated } });
}

const containers = ({ spec }: Pod, status: Omit<ContainerStatus, 'name'>): ContainerStatus[] =>
  spec.containers.map(({ name }) => ({ name, ...status }));
