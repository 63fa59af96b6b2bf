import type { V1Pod, V1PodStatus } from '@kubernetes/client-node';
import { expect, test } from 'vitest';
import { isGone } from '../pod/pod-state.ts';
import { sandboxFromPod } from './sandbox-from-pod.ts';

const metadata = {
  name: 'ses-1-1',
  uid: 'a-b-c',
  creationTimestamp: new Date('2026-01-02T03:04:05Z'),
  labels: { 'holdfast.dev/database': 'db-1' },
};
const running: V1PodStatus = { phase: 'Running', podIP: '10.1.2.3' };
const terminated: V1PodStatus = {
  containerStatuses: [
    { name: 'agent', image: '', imageID: '', ready: false, restartCount: 0, state: { terminated: { exitCode: 0 } } },
  ],
};
const pod = (status: V1PodStatus, more: V1Pod['metadata'] = {}): V1Pod => ({
  metadata: { ...metadata, ...more },
  spec: { containers: [], nodeName: 'node-1' },
  status,
});

test('a running pod has the endpoint of its agent', () => {
  expect(sandboxFromPod(pod(running))).toEqual({
    name: 'ses-1-1',
    uid: 'a-b-c',
    node: 'node-1',
    endpoint: 'http://10.1.2.3:8700',
    phase: 'running',
    createdAt: metadata.creationTimestamp,
  });
});

test('puts an IPv6 address in brackets', () => {
  expect(sandboxFromPod(pod({ ...running, podIP: 'fd00::7' })).endpoint).toBe('http://[fd00::7]:8700');
});

test.each<[string, V1Pod, string]>([
  ['without an address', pod({ phase: 'Running' }), 'starting'],
  ['whose image is still being pulled', pod({ ...running, phase: 'Pending' }), 'starting'],
  ['whose container has ended', pod({ ...running, ...terminated }), 'ended'],
  ['that has failed', pod({ ...running, phase: 'Failed' }), 'ended'],
  ['that is being deleted', pod(running, { deletionTimestamp: new Date() }), 'ended'],
])('a pod %s has no endpoint', (_, seen, phase) => {
  expect(sandboxFromPod(seen)).toMatchObject({ endpoint: null, phase });
});

test('a pod is gone only if it is being deleted and its container has ended', () => {
  const deletionTimestamp = new Date();
  expect(isGone(pod(terminated, { deletionTimestamp }))).toBe(true);
  expect(isGone(pod(terminated))).toBe(false);
  expect(isGone(pod(running, { deletionTimestamp }))).toBe(false);
});

test('a pod without the label of a database is unidentified', () => {
  expect(sandboxFromPod(pod(running, { labels: {} }))).toMatchObject({ isUnidentified: true });
});
