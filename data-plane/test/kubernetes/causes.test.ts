import type { EndReason } from '@holdfast/specs/public';
import { expect, test } from 'vitest';
import { idleContainer } from '../fake-kubernetes/kubelet/start-container.ts';
import type { FakeKubernetes } from '../fake-kubernetes/start-fake-kubernetes.ts';
import { eventually } from '../support/eventually.ts';
import { newSandboxName, startKubernetesRuntime } from '../support/kubernetes-runtime.ts';

const start = (more: object = {}) => startKubernetesRuntime({ startContainer: idleContainer, ...more });

const ends: [string, EndReason, RegExp, (fake: FakeKubernetes, name: string) => unknown][] = [
  ['kubectl delete', 'deleted_by_operator', /deleted from outside/, (fake, name) => fake.operator.delete(name)],
  ['an eviction', 'evicted', /low on resource: memory/, (fake, name) => fake.operator.evict(name)],
  ['an OOM kill', 'oom_killed', /OOMKilled.*137/, (fake, name) => fake.operator.oom(name)],
  ['a kill of the agent', 'sandbox_exited', /137 \(signal 9\)/, (fake, name) => fake.operator.crash(name)],
  ['the loss of its node', 'node_lost', /NodeLost/, (fake, name) => fake.operator.loseNode(name)],
];

test.each(ends)('explains a pod that ended by %s as %s', async (_, reason, message, act) => {
  await using cluster = await start();
  const sandbox = await cluster.launch();
  const ended = Promise.withResolvers<unknown>();
  cluster.runtime.onEnded(ended.resolve);
  act(cluster.fake, sandbox.name);
  const { name, uid } = sandbox;
  expect(await ended.promise).toEqual({ name, uid });
  const cause = { reason, message: expect.stringMatching(message) };
  expect(await cluster.runtime.explain(sandbox)).toEqual(cause);
  // The cause stays known after the object is gone.
  if (cluster.fake.pods.find(name)) cluster.fake.operator.collect(name);
  await eventually(async () => expect(await cluster.runtime.inspect(name)).toBeNull());
  expect(await cluster.runtime.explain(sandbox)).toEqual(cause);
});

test('a pod that ended by itself still has its cause after it is deleted', async () => {
  await using cluster = await start();
  const sandbox = await cluster.launch();
  cluster.fake.operator.oom(sandbox.name);
  await eventually(async () => expect(await cluster.runtime.inspect(sandbox.name)).toMatchObject({ phase: 'ended' }));
  cluster.fake.operator.delete(sandbox.name);
  expect(await cluster.runtime.explain(sandbox)).toMatchObject({ reason: 'oom_killed' });
});

test('explains a pod past its deadline as max_age', async () => {
  await using cluster = await startKubernetesRuntime({ startContainer: idleContainer }, { activeDeadlineSeconds: 1 });
  const sandbox = await cluster.launch();
  await eventually(async () => {
    expect(await cluster.runtime.inspect(sandbox.name)).toMatchObject({ phase: 'ended', cause: { reason: 'max_age' } });
  });
});

test('an image that cannot be pulled ends the launch at once with the message of the cluster, and leaves no pod', async () => {
  await using cluster = await start();
  cluster.fake.imagePulls.close();
  const outcome = expect(cluster.launch()).rejects;
  await outcome.toMatchObject({ reason: 'image_pull_failed', message: expect.stringContaining('ImagePullBackOff') });
  expect(cluster.fake.pods.all()).toEqual([]);
});

test('a launch waits for a node until its deadline, and then says that there is none', async () => {
  await using cluster = await start();
  cluster.fake.scheduling.close();
  const outcome = expect(cluster.launch(newSandboxName(), AbortSignal.timeout(500))).rejects;
  await outcome.toMatchObject({
    reason: 'unschedulable',
    message: expect.stringContaining('Insufficient cpu'),
    retryAfterSeconds: 10,
  });
  expect(cluster.fake.pods.all()).toEqual([]);
  const waiting = cluster.launch();
  await eventually(() => expect(cluster.fake.events.all().length).toBeGreaterThan(1));
  cluster.fake.scheduling.open();
  expect(await waiting).toMatchObject({ phase: 'running' });
});
