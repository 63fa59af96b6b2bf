import type { CoreV1Event, V1ContainerState, V1Pod, V1PodStatus } from '@kubernetes/client-node';
import { expect, test } from 'vitest';
import { podCause } from './pod-cause.ts';

const pod = (status: V1PodStatus = {}, metadata: V1Pod['metadata'] = {}): V1Pod => ({ metadata, status });
const deleted = { deletionTimestamp: new Date('2026-01-02T03:04:05Z') };
const agent = (state: V1ContainerState): V1PodStatus => ({
  containerStatuses: [{ name: 'agent', image: '', imageID: '', ready: false, restartCount: 0, state }],
});
const disrupted = (reason: string): V1PodStatus => ({
  conditions: [{ type: 'DisruptionTarget', status: 'True', reason, message: `words of ${reason}` }],
});
const event = (reason: string, message = `words of ${reason}`): CoreV1Event => ({
  reason,
  message,
  involvedObject: {},
  metadata: {},
});
const oom = agent({ terminated: { exitCode: 137, reason: 'OOMKilled' } });
const completed = agent({ terminated: { exitCode: 0, reason: 'Completed' } });

test.each<[string, V1Pod, string, string]>([
  ['a container over its memory limit', pod(oom), 'oom_killed', 'OOMKilled'],
  [
    'a container over its memory limit that was found dead after a deletion',
    pod(oom, deleted),
    'oom_killed',
    'OOMKilled',
  ],
  [
    'an eviction by the kubelet',
    pod({ phase: 'Failed', reason: 'Evicted', message: 'low on memory' }),
    'evicted',
    'low on memory',
  ],
  ['an eviction through the API', pod(disrupted('EvictionByEvictionAPI'), deleted), 'evicted', 'words of Eviction'],
  ['a preemption', pod(disrupted('PreemptionByScheduler'), deleted), 'evicted', 'words of Preemption'],
  [
    'an eviction for a taint',
    pod(disrupted('DeletionByTaintManager'), deleted),
    'node_lost',
    'words of DeletionByTaint',
  ],
  [
    'a removal by the pod garbage collector',
    pod(disrupted('DeletionByPodGC'), deleted),
    'node_lost',
    'words of DeletionByPodGC',
  ],
  [
    'a node that is lost',
    pod({ reason: 'NodeLost', message: 'Node n is unresponsive' }, deleted),
    'node_lost',
    'Node n',
  ],
  ['a node that shuts down', pod({ phase: 'Failed', reason: 'NodeShutdown' }), 'node_lost', 'NodeShutdown'],
  [
    'a pod past its deadline',
    pod({ phase: 'Failed', reason: 'DeadlineExceeded', message: 'too long' }),
    'max_age',
    'too long',
  ],
  ['a deletion', pod(completed, deleted), 'deleted_by_operator', '2026-01-02T03:04:05.000Z'],
  [
    'an agent that was killed',
    pod(agent({ terminated: { exitCode: 137, reason: 'Error' } })),
    'sandbox_exited',
    'signal 9',
  ],
  ['an agent that exited', pod({ phase: 'Succeeded', ...completed }), 'sandbox_exited', 'exit code 0'],
  [
    'a killed child of a living agent',
    pod(agent({ terminated: { exitCode: 0, reason: 'OOMKilled' } })),
    'sandbox_exited',
    'exit code 0',
  ],
  ['an end without a reason', pod({ phase: 'Failed' }), 'sandbox_lost', 'failed'],
  [
    'an image that does not exist',
    pod(agent({ waiting: { reason: 'ErrImageNeverPull', message: 'x' } })),
    'image_pull_failed',
    'x',
  ],
  [
    'an image that cannot be pulled',
    pod(agent({ waiting: { reason: 'ImagePullBackOff' } })),
    'image_pull_failed',
    'BackOff',
  ],
  [
    'an image with an invalid name',
    pod(agent({ waiting: { reason: 'InvalidImageName' } })),
    'image_pull_failed',
    'Invalid',
  ],
  [
    'a user id that the cluster forbids',
    pod(agent({ waiting: { reason: 'CreateContainerConfigError' } })),
    'sandbox_start_failed',
    'Config',
  ],
  [
    'a full cluster',
    pod({ conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: 'no room' }] }),
    'unschedulable',
    'no room',
  ],
])('explains %s', (_, seen, reason, words) => {
  const cause = podCause({ pod: seen, gone: false });
  expect(cause).toMatchObject({ reason });
  expect(cause?.message).toContain(words);
});

test.each([
  ['a pod that runs', pod({ phase: 'Running', ...agent({ running: {} }) })],
  ['a pod that is being created', pod(agent({ waiting: { reason: 'ContainerCreating' } }))],
  ['a first failure to pull', pod(agent({ waiting: { reason: 'ErrImagePull' } }))],
  ['a pod without a status', pod()],
])('finds no cause for %s', (_, seen) => {
  expect(podCause({ pod: seen, gone: false })).toBeNull();
});

test('a pod that is gone without a reason was deleted, and events may say by which component', () => {
  const running = pod({ phase: 'Running' });
  const because = (...events: CoreV1Event[]) => podCause({ pod: running, gone: true, events });
  expect(because()).toMatchObject({ reason: 'deleted_by_operator' });
  expect(podCause({ pod: null, gone: true })).toMatchObject({ reason: 'deleted_by_operator' });
  expect(because(event('TaintManagerEviction'), event('Killing'))).toMatchObject({ reason: 'node_lost' });
  expect(because(event('Preempted'))).toEqual({ reason: 'evicted', message: 'Preempted: words of Preempted' });
  const calledOff = event('TaintManagerEviction', 'Cancelling deletion of Pod');
  expect(because(event('TaintManagerEviction'), calledOff)?.reason).toBe('deleted_by_operator');
  expect(because(event('Started'), event('Killing', 'Stopping container'))?.message).toContain('Stopping container');
});

test("events do not override the pod's own status", () => {
  expect(podCause({ pod: pod(oom, deleted), gone: true, events: [event('Evicted')] })?.reason).toBe('oom_killed');
});

test('the message contains nothing that code in the sandbox wrote, and is bounded', () => {
  const left = agent({ terminated: { exitCode: 1, reason: 'Error', message: 'all is well' } });
  expect(podCause({ pod: pod(left), gone: false })?.message).not.toContain('all is well');
  const long = pod({ phase: 'Failed', reason: 'Evicted', message: 'x'.repeat(50_000) });
  expect(podCause({ pod: long, gone: false })?.message.length).toBeLessThanOrEqual(1000);
});
