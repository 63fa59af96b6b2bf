import type { V1Pod, V1PodStatus } from '@kubernetes/client-node';
import { expect, test } from 'vitest';
import { podCause } from '../pod/pod-cause.ts';
import { createPodCache } from './pod-cache.ts';

const running: V1PodStatus = { phase: 'Running', podIP: '10.1.2.3' };
const evicted: V1PodStatus = { phase: 'Failed', reason: 'Evicted' };
const pod = (name: string, status: V1PodStatus = running, metadata: V1Pod['metadata'] = {}): V1Pod => ({
  metadata: { name, uid: `uid-of-${name}`, ...metadata },
  status,
});
const deleting = (name: string, status?: V1PodStatus) => pod(name, status, { deletionTimestamp: new Date() });

function listening() {
  let time = 0;
  const podCache = createPodCache({ now: () => time });
  const ended: string[] = [];
  podCache.onEnded(({ name, uid }) => ended.push(`${name} ${uid}`));
  return { podCache, ended, pass: (ms: number) => (time += ms) };
}
const soon = { ms: 5000, signal: new AbortController().signal };

test.each<[string, V1Pod]>([
  ['has failed', pod('a', evicted)],
  ['is being deleted', deleting('a')],
])('tells listeners once about a pod that %s, and not about one that only changes', (_, end) => {
  const { podCache, ended } = listening();
  podCache.apply({ type: 'ADDED', pod: pod('a') });
  podCache.apply({ type: 'MODIFIED', pod: pod('a') });
  expect(ended).toEqual([]);
  podCache.apply({ type: 'MODIFIED', pod: end });
  podCache.apply({ type: 'MODIFIED', pod: end });
  expect(ended).toEqual(['a uid-of-a']);
});

test('reports the end of a pod that a complete list lacks', () => {
  const { podCache, ended } = listening();
  podCache.replaceAll([pod('a'), pod('b')]);
  podCache.replaceAll([pod('b')]);
  expect(ended).toEqual(['a uid-of-a']);
  podCache.replaceAll([pod('b')]);
  expect(ended).toHaveLength(1);
});

test('another incarnation with the same name does not hide the end of the first', () => {
  const { podCache, ended } = listening();
  podCache.replaceAll([pod('a')]);
  podCache.replaceAll([pod('a', running, { uid: 'second' })]);
  expect(ended).toEqual(['a uid-of-a']);
});

test('does not report an end that we cause', () => {
  const { podCache, ended } = listening();
  podCache.replaceAll([pod('a')]);
  podCache.expectEnd('uid-of-a');
  podCache.apply({ type: 'MODIFIED', pod: deleting('a') });
  podCache.apply({ type: 'DELETED', pod: deleting('a') });
  expect(ended).toEqual([]);
});

test('remembers why a pod ended by itself when it is deleted afterwards', () => {
  const { podCache } = listening();
  podCache.apply({ type: 'ADDED', pod: pod('a') });
  podCache.apply({ type: 'MODIFIED', pod: pod('a', evicted) });
  podCache.apply({ type: 'MODIFIED', pod: deleting('a', running) });
  podCache.apply({ type: 'DELETED', pod: deleting('a', running) });
  expect(podCause({ pod: podCache.find('uid-of-a'), gone: true })?.reason).toBe('evicted');
});

test('remembers a pod that is gone for ten minutes', () => {
  const { podCache, pass } = listening();
  podCache.apply({ type: 'ADDED', pod: pod('a') });
  podCache.apply({ type: 'DELETED', pod: pod('a') });
  pass(599_000);
  podCache.replaceAll([]);
  expect(podCache.find('uid-of-a')).not.toBeNull();
  pass(2000);
  podCache.replaceAll([]);
  expect(podCache.find('uid-of-a')).toBeNull();
});

test('a change of a pod wakes only those that wait for that pod', async () => {
  const { podCache } = listening();
  const order: string[] = [];
  const waits = ['a', 'b'].map((name) => podCache.waitForChange(name, soon).then(() => order.push(name)));
  podCache.apply({ type: 'ADDED', pod: pod('b') });
  await waits[1];
  expect(order).toEqual(['b']);
  podCache.apply({ type: 'ADDED', pod: pod('a') });
  expect(await podCache.waitForChange('c', { ...soon, ms: 1 })).toBe(false);
  await waits[0];
  expect(order).toEqual(['b', 'a']);
});

test('waiting for a change ends with the reason of the signal', async () => {
  const { podCache } = listening();
  const aborted = new AbortController();
  const waiting = podCache.waitForChange('a', { ms: 60_000, signal: aborted.signal });
  const reason = new Error('the client has gone');
  aborted.abort(reason);
  await expect(waiting).rejects.toBe(reason);
});

test('does not store the fields that we wrote ourselves', () => {
  const { podCache } = listening();
  const containers = [{ name: 'agent', env: [{ name: 'A', value: 'x'.repeat(1000) }] }];
  podCache.apply({ type: 'ADDED', pod: { ...pod('a'), spec: { containers, nodeName: 'n' } } });
  expect(podCache.find('uid-of-a')?.spec).toEqual({ containers: [], nodeName: 'n' });
});
