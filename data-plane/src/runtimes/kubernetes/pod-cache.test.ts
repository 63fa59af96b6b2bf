import type { V1Pod, V1PodStatus } from '@kubernetes/client-node';
import { expect, test } from 'vitest';
import { createSightings } from './pod-cache.ts';
import { podCause } from './pod-cause.ts';

const running: V1PodStatus = { phase: 'Running', podIP: '10.1.2.3' };
const evicted: V1PodStatus = { phase: 'Failed', reason: 'Evicted' };
const pod = (name: string, status: V1PodStatus = running, metadata: V1Pod['metadata'] = {}): V1Pod => ({
  metadata: { name, uid: `uid-of-${name}`, ...metadata },
  status,
});
const deleting = (name: string, status?: V1PodStatus) => pod(name, status, { deletionTimestamp: new Date() });

function listening() {
  let time = 0;
  const sightings = createSightings({ now: () => time });
  const ended: string[] = [];
  sightings.onEnded(({ name, uid }) => ended.push(`${name} ${uid}`));
  return { sightings, ended, pass: (ms: number) => (time += ms) };
}
const soon = { ms: 5000, signal: new AbortController().signal };

test.each<[string, V1Pod]>([
  ['has failed', pod('a', evicted)],
  ['is being deleted', deleting('a')],
])('who listens is told once of a pod that %s, and not of one that changes', (_, end) => {
  const { sightings, ended } = listening();
  sightings.apply({ type: 'ADDED', pod: pod('a') });
  sightings.apply({ type: 'MODIFIED', pod: pod('a') });
  expect(ended).toEqual([]);
  sightings.apply({ type: 'MODIFIED', pod: end });
  sightings.apply({ type: 'MODIFIED', pod: end });
  expect(ended).toEqual(['a uid-of-a']);
});

test('a pod that a complete list lacks has ended', () => {
  const { sightings, ended } = listening();
  sightings.replaceAll([pod('a'), pod('b')]);
  sightings.replaceAll([pod('b')]);
  expect(ended).toEqual(['a uid-of-a']);
  sightings.replaceAll([pod('b')]);
  expect(ended).toHaveLength(1);
});

test('another incarnation of the name does not hide the end of the first', () => {
  const { sightings, ended } = listening();
  sightings.replaceAll([pod('a')]);
  sightings.replaceAll([pod('a', running, { uid: 'second' })]);
  expect(ended).toEqual(['a uid-of-a']);
});

test('an end that we bring about ourselves is nobody else to hear of', () => {
  const { sightings, ended } = listening();
  sightings.replaceAll([pod('a')]);
  sightings.expectEnd('uid-of-a');
  sightings.apply({ type: 'MODIFIED', pod: deleting('a') });
  sightings.apply({ type: 'DELETED', pod: deleting('a') });
  expect(ended).toEqual([]);
});

test('why a pod ended by itself is remembered when it is deleted afterwards', () => {
  const { sightings } = listening();
  sightings.apply({ type: 'ADDED', pod: pod('a') });
  sightings.apply({ type: 'MODIFIED', pod: pod('a', evicted) });
  sightings.apply({ type: 'MODIFIED', pod: deleting('a', running) });
  sightings.apply({ type: 'DELETED', pod: deleting('a', running) });
  expect(podCause({ pod: sightings.find('uid-of-a'), gone: true })?.reason).toBe('evicted');
});

test('a pod that is gone is remembered for ten minutes', () => {
  const { sightings, pass } = listening();
  sightings.apply({ type: 'ADDED', pod: pod('a') });
  sightings.apply({ type: 'DELETED', pod: pod('a') });
  pass(599_000);
  sightings.replaceAll([]);
  expect(sightings.find('uid-of-a')).not.toBeNull();
  pass(2000);
  sightings.replaceAll([]);
  expect(sightings.find('uid-of-a')).toBeNull();
});

test('who waits for news of a pod is woken by that pod alone', async () => {
  const { sightings } = listening();
  const order: string[] = [];
  const waits = ['a', 'b'].map((name) => sightings.news(name, soon).then(() => order.push(name)));
  sightings.apply({ type: 'ADDED', pod: pod('b') });
  await waits[1];
  expect(order).toEqual(['b']);
  sightings.apply({ type: 'ADDED', pod: pod('a') });
  expect(await sightings.news('c', { ...soon, ms: 1 })).toBe(false);
  await waits[0];
  expect(order).toEqual(['b', 'a']);
});

test('waiting for news ends with the signal and its reason', async () => {
  const { sightings } = listening();
  const aborted = new AbortController();
  const waiting = sightings.news('a', { ms: 60_000, signal: aborted.signal });
  const reason = new Error('the client has gone');
  aborted.abort(reason);
  await expect(waiting).rejects.toBe(reason);
});

test('what we wrote ourselves is not kept of each pod', () => {
  const { sightings } = listening();
  const containers = [{ name: 'agent', env: [{ name: 'A', value: 'x'.repeat(1000) }] }];
  sightings.apply({ type: 'ADDED', pod: { ...pod('a'), spec: { containers, nodeName: 'n' } } });
  expect(sightings.find('uid-of-a')?.spec).toEqual({ containers: [], nodeName: 'n' });
});
