import type { CoreV1Event, V1Pod } from '@kubernetes/client-node';
import { expect, test } from 'vitest';
import { findStartObstacle } from './start-obstacle.ts';

const key = { name: 'a', uid: 'uid-of-a' };
const creating: V1Pod = { metadata: key, status: { phase: 'Pending' } };
const full: V1Pod = {
  metadata: key,
  status: { conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: 'no room' }] },
};
const event = (type: string, reason: string): CoreV1Event => ({
  ...{ type, reason, message: `words of ${reason}` },
  ...{ involvedObject: {}, metadata: {} },
});
const cluster = (pod: V1Pod | null, ...events: CoreV1Event[]) => ({
  api: { get: async () => pod, events: async () => events },
});

test('takes the reason from the status of the pod', async () => {
  const said = await findStartObstacle(cluster(full, event('Warning', 'Other')), key);
  expect(said).toMatchObject({ reason: 'unschedulable', message: 'Unschedulable: no room', retryAfterSeconds: 10 });
});

test('takes the last warning if the status has no reason', async () => {
  const events = [event('Warning', 'First'), event('Warning', 'FailedCreatePodSandBox'), event('Normal', 'Pulled')];
  const said = await findStartObstacle(cluster(creating, ...events), key);
  expect(said).toMatchObject({
    reason: 'sandbox_start_timeout',
    message: 'FailedCreatePodSandBox: words of FailedCreatePodSandBox',
  });
});

test('finds nothing without a warning, a pod, the same incarnation, or an answer', async () => {
  expect(await findStartObstacle(cluster(creating, event('Normal', 'Pulled')), key)).toBeNull();
  expect(await findStartObstacle(cluster(null), key)).toBeNull();
  expect(await findStartObstacle(cluster(full), { name: 'a', uid: 'another' })).toBeNull();
  const away = () => Promise.reject(new Error('no answer'));
  expect(await findStartObstacle({ api: { get: away, events: away } }, key)).toBeNull();
});
