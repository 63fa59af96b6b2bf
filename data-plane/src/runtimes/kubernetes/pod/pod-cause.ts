import type { EndReason } from '@holdfast/specs/public';
import type { CoreV1Event, V1ContainerStateTerminated, V1Pod } from '@kubernetes/client-node';
import type { SandboxCause } from '../../runtime.ts';
import { agentState, isBeingDeleted } from './pod-state.ts';

type ObservedPod = {
  /** The pod as it was last seen. */
  pod: V1Pod | null;
  gone: boolean;
  /** Events about this incarnation, the oldest first. */
  events?: readonly CoreV1Event[];
};

/**
 * Why a pod has ended, or why it does not start; null if nothing says either. The message contains the cluster's own words, and never the
 * termination message, which code in the sandbox may have written. Pure.
 */
export function podCause({ pod, gone, events = [] }: ObservedPod): SandboxCause | null {
  const deleted = gone || (pod !== null && isBeingDeleted(pod));
  return (
    (pod && (podReason(pod) ?? disruption(pod) ?? outOfMemory(pod))) ??
    (deleted ? deletion({ pod, events }) : null) ??
    (pod && (exit(pod) ?? waiting(pod) ?? unscheduled(pod)))
  );
}

/** `status.reason` is set by the kubelet and the controllers that end pods. */
function podReason({ status }: V1Pod): SandboxCause | null {
  const reasons: Record<string, EndReason> = {
    Evicted: 'evicted',
    Preempting: 'evicted',
    NodeLost: 'node_lost',
    NodeShutdown: 'node_lost',
    Shutdown: 'node_lost',
    Terminated: 'node_lost',
    DeadlineExceeded: 'max_age',
  };
  return cause(reasons[status?.reason ?? ''], status?.reason, status?.message);
}

/** @see https://kubernetes.io/docs/concepts/workloads/pods/disruptions/#pod-disruption-conditions */
function disruption({ status }: V1Pod): SandboxCause | null {
  const reasons: Record<string, EndReason> = {
    EvictionByEvictionAPI: 'evicted',
    PreemptionByScheduler: 'evicted',
    PreemptionByKubeScheduler: 'evicted',
    TerminationByKubelet: 'evicted',
    DeletionByTaintManager: 'node_lost',
    DeletionByPodGC: 'node_lost',
  };
  const condition = status?.conditions?.find(({ type, status }) => type === 'DisruptionTarget' && status === 'True');
  return cause(reasons[condition?.reason ?? ''], condition?.reason, condition?.message);
}

/** The container runtime also reports OOMKilled if the kernel killed another process; then the agent ended in some other way. */
function outOfMemory(pod: V1Pod): SandboxCause | null {
  const { terminated } = agentState(pod);
  if (terminated?.reason !== 'OOMKilled' || terminated.exitCode !== 137) return null;
  return cause('oom_killed', exitText(terminated));
}

/** Clusters that lack the DisruptionTarget condition only report in events who deleted a pod. */
function deletion({ pod, events }: Required<Pick<ObservedPod, 'pod' | 'events'>>): SandboxCause {
  const reasons: Record<string, EndReason> = {
    TaintManagerEviction: 'node_lost',
    NodeControllerEviction: 'node_lost',
    Preempted: 'evicted',
    Evicted: 'evicted',
  };
  const telling = events.findLast(({ reason }) => reasons[reason ?? '']);
  const calledOff = telling?.message?.startsWith('Cancelling');
  const named = calledOff ? null : cause(reasons[telling?.reason ?? ''], telling?.reason, telling?.message);
  if (named) return named;
  const at = pod?.metadata?.deletionTimestamp;
  const said = events.findLast(({ reason }) => reason === 'Killing')?.message;
  const message = `the pod was deleted from outside${at ? `, to be gone by ${new Date(at).toISOString()}` : ''}`;
  return { reason: 'deleted_by_operator', message: bounded(said ? `${message}: ${said}` : message) };
}

function exit(pod: V1Pod): SandboxCause | null {
  const { terminated } = agentState(pod);
  if (terminated) return cause('sandbox_exited', exitText(terminated));
  const { phase, reason, message } = pod.status ?? {};
  if (phase !== 'Succeeded' && phase !== 'Failed') return null;
  return cause('sandbox_lost', reason ?? `the pod has ${phase.toLowerCase()}`, message);
}

function exitText({ reason, exitCode, signal }: V1ContainerStateTerminated): string {
  const killedBy = signal || (exitCode > 128 ? exitCode - 128 : 0);
  const text = `${reason ?? 'Terminated'}: the agent's container ended with exit code ${exitCode}`;
  return killedBy ? `${text} (signal ${killedBy})` : text;
}

/** `ErrImagePull` may be temporary; if it is not, the kubelet goes on to `ImagePullBackOff`. */
function waiting(pod: V1Pod): SandboxCause | null {
  const reasons: Record<string, EndReason> = {
    ImagePullBackOff: 'image_pull_failed',
    ErrImageNeverPull: 'image_pull_failed',
    InvalidImageName: 'image_pull_failed',
    CreateContainerConfigError: 'sandbox_start_failed',
  };
  const { reason, message } = agentState(pod).waiting ?? {};
  return cause(reasons[reason ?? ''], reason, message);
}

/** May be temporary, because the scheduler tries again. */
function unscheduled({ status }: V1Pod): SandboxCause | null {
  const condition = status?.conditions?.find(({ type }) => type === 'PodScheduled');
  if (condition?.status !== 'False') return null;
  return cause('unschedulable', condition.reason, condition.message);
}

function cause(reason: EndReason | undefined, ...words: (string | undefined)[]): SandboxCause | null {
  return reason ? { reason, message: bounded(words.filter(Boolean).join(': ')) } : null;
}

const bounded = (message: string) => message.slice(0, 1000);
