import { expect, test } from 'vitest';
import { podLabels } from '../../src/runtimes/kubernetes/pod/pod-labels.ts';
import { idleContainer } from '../fake-kubernetes/kubelet/start-container.ts';
import type { FakeKubernetes } from '../fake-kubernetes/start-fake-kubernetes.ts';
import { eventually } from '../support/eventually.ts';
import { newSandboxName, profiles, startKubernetesRuntime } from '../support/kubernetes-runtime.ts';

const start = () => startKubernetesRuntime({ startContainer: idleContainer });

async function elapsedMs(work: () => Promise<unknown>): Promise<number> {
  const before = performance.now();
  await work();
  return performance.now() - before;
}

test('repeats a creation that was refused with 429 after the time that the server asks for', async () => {
  await using cluster = await start();
  cluster.fake.faults.arm('refuse', { verb: 'create', status: 429, retryAfterSeconds: 1 });
  expect(await elapsedMs(cluster.launch)).toBeGreaterThan(1000);
  expect(cluster.fake.faults.happened('refuse')).toBe(1);
  expect(cluster.fake.pods.all()).toHaveLength(1);
});

test.each([500, 503])('repeats a creation that was answered with %s', async (status) => {
  await using cluster = await start();
  cluster.fake.faults.arm('refuse', { verb: 'create', status, times: 2 });
  expect(await cluster.launch()).toMatchObject({ phase: 'running' });
  expect(cluster.fake.faults.happened('refuse')).toBe(2);
});

test('creates one pod even if the connection is reset before or after the creation', async () => {
  await using cluster = await start();
  for (const fault of ['reset', 'loseAnswer'] as const) {
    cluster.fake.faults.arm(fault, { verb: 'create' });
    const { name, uid } = await cluster.launch();
    expect(cluster.fake.faults.happened(fault)).toBe(1);
    expect(cluster.fake.pods.find(name)?.metadata.uid).toBe(uid);
  }
  expect(cluster.fake.pods.all()).toHaveLength(2);
});

test('a deletion survives refusals and lost answers, and resolves only once the pod is gone', async () => {
  await using cluster = await start();
  const sandbox = await cluster.launch();
  cluster.fake.faults.arm('refuse', { verb: 'delete', status: 429, retryAfterSeconds: 0 });
  cluster.fake.faults.arm('refuse', { verb: 'delete', status: 500 });
  cluster.fake.faults.arm('loseAnswer', { verb: 'delete' });
  await cluster.runtime.destroy(sandbox);
  expect([cluster.fake.faults.happened('refuse'), cluster.fake.faults.happened('loseAnswer')]).toEqual([2, 1]);
  expect(cluster.fake.pods.all()).toEqual([]);
});

test('a list whose pages expire starts again and is complete, and throws if they expire every time', async () => {
  await using cluster = await start();
  cluster.fake.scheduling.close();
  const names = insertPods(cluster.fake, 501);
  cluster.fake.faults.arm('expireContinue', {});
  cluster.fake.faults.arm('delay', { verb: 'list', ms: 300 });
  const listed = await cluster.runtime.list();
  expect(listed.map(({ name }) => name)).toEqual(names);
  expect([cluster.fake.faults.happened('expireContinue'), cluster.fake.faults.happened('delay')]).toEqual([1, 1]);
  cluster.fake.faults.arm('expireContinue', { times: Number.POSITIVE_INFINITY });
  await expect(cluster.runtime.list()).rejects.toMatchObject({ reason: 'runtime_unavailable' });
});

test('while the API server is down, every call fails as unavailable and no sandbox is reported as lost', async () => {
  await using cluster = await start();
  const sandbox = await cluster.launch();
  await cluster.fake.server.down();
  const unavailable = { name: 'SandboxError', reason: 'runtime_unavailable', retryAfterSeconds: 5 };
  await expect(cluster.launch()).rejects.toMatchObject(unavailable);
  await expect(cluster.runtime.list()).rejects.toMatchObject(unavailable);
  await expect(cluster.runtime.inspect(sandbox.name)).rejects.toMatchObject(unavailable);
  await expect(cluster.runtime.inspect(newSandboxName())).rejects.toMatchObject(unavailable);
  await expect(cluster.runtime.explain(sandbox)).rejects.toMatchObject(unavailable);
  await expect(cluster.runtime.destroy(sandbox)).rejects.toMatchObject(unavailable);
  await cluster.fake.server.up();
  expect(await cluster.runtime.list()).toMatchObject([{ uid: sandbox.uid, phase: 'running' }]);
  await cluster.launch();
});

test('a launch makes several attempts when the API server stops answering, and one while it is known not to answer', async () => {
  await using cluster = await start();
  const { faults, server } = cluster.fake;
  const attempts = async () => {
    const before = server.requests['create pods'] ?? 0;
    await expect(cluster.launch()).rejects.toMatchObject({ reason: 'runtime_unavailable' });
    return (server.requests['create pods'] ?? 0) - before;
  };
  faults.arm('reset', { times: Number.POSITIVE_INFINITY });
  expect(await attempts()).toBeGreaterThan(1);
  expect(await attempts()).toBe(1);
});

test('the pod of a launch that failed because the API server went down is removed with the next complete list', async () => {
  const followTimes = { relistMs: 1000, silenceMs: 75_000, pauseMs: { first: 20, max: 200 } };
  await using cluster = await startKubernetesRuntime({ startContainer: idleContainer }, { followTimes });
  cluster.fake.scheduling.close();
  const launching = cluster.launch();
  const outcome = expect(launching).rejects.toMatchObject({ reason: 'runtime_unavailable' });
  await eventually(() => expect(cluster.fake.pods.all()).toHaveLength(1));
  await cluster.fake.server.down();
  await outcome;
  expect(cluster.fake.pods.all()).toHaveLength(1);
  await cluster.fake.server.up();
  await eventually(() => expect(cluster.fake.pods.all()).toEqual([]), 15_000);
});

test('all calls and the watch share a few connections', async () => {
  await using cluster = await start();
  for (let launched = 0; launched < 20; launched += 1) await cluster.launch();
  for (const { name } of await cluster.runtime.list()) await cluster.runtime.inspect(name);
  expect(cluster.fake.server.requests['create pods']).toBeGreaterThanOrEqual(20);
  expect(cluster.fake.server.connections.opened).toBeLessThanOrEqual(3);
  await Promise.all(Array.from({ length: 100 }, () => cluster.runtime.list()));
  expect(cluster.fake.server.connections.opened).toBeLessThanOrEqual(16);
});

test('a full quota fails a launch but not the start', async () => {
  await using cluster = await startKubernetesRuntime({ startContainer: idleContainer, admission: { podsMax: 1 } });
  await cluster.launch();
  const outcome = expect(cluster.launch()).rejects;
  await outcome.toMatchObject({ reason: 'unschedulable', retryAfterSeconds: 10 });
});

test('a profile whose runtime class does not exist stops the start, and the error names the class', async () => {
  const [python] = profiles.profiles;
  const sealed = { profiles: [{ ...python, runtimeClassName: 'sealed' }] };
  const options = { startContainer: idleContainer };
  await expect(startKubernetesRuntime(options, { profileList: sealed })).rejects.toThrow(
    'RuntimeClass "sealed" not found',
  );
  const admission = { runtimeClasses: ['sealed'] };
  await using cluster = await startKubernetesRuntime({ ...options, admission }, { profileList: sealed });
  await cluster.launch();
});

/** Inserts pods of the deployment that wait for a node. Returns their names in order. */
function insertPods(fake: FakeKubernetes, count: number): string[] {
  const labels = podLabels({ deployment: 'test', database: 'db-1', network: 'none', profile: 'python' });
  const names = Array.from({ length: count }, (_, index) => `pod-${String(index).padStart(4, '0')}`);
  for (const name of names) {
    const metadata = {
      ...{ name, labels, namespace: fake.namespace, uid: `uid-${name}` },
      ...{ resourceVersion: '', creationTimestamp: '2026-01-01T00:00:00Z' },
    };
    fake.pods.insert({
      metadata,
      spec: { containers: [{ name: 'agent', image: 'i' }], terminationGracePeriodSeconds: 1 },
      status: { phase: 'Pending' },
    });
  }
  return names;
}
