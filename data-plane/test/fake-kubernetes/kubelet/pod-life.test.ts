import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { marked } from '../../support/process-runtime.ts';
import { apiClient, podManifest } from '../api-client.ts';
import { idleContainer } from '../kubelet/start-container.ts';
import { startFakeKubernetes } from '../start-fake-kubernetes.ts';

type Options = Parameters<typeof startFakeKubernetes>[0];

async function withPods(options: Options, ...names: string[]) {
  const fake = await startFakeKubernetes(options);
  const api = apiClient(fake);
  for (const name of names) await api.call('POST', '/pods', { body: podManifest(name) });
  const pod = (name: string) => fake.pods.find(name);
  return {
    fake,
    api,
    pod,
    reasons: () => fake.events.all().map(({ reason }) => reason),
    running: (name: string) => eventually(() => expect(pod(name)?.status.phase).toBe('Running')),
    async [Symbol.asyncDispose]() {
      api.close();
      await fake.close();
    },
  };
}

test('runs a real agent per pod at an address of its own, and a deletion leaves no process', async () => {
  await using cluster = await withPods({}, 'a', 'b');
  for (const name of ['a', 'b']) await cluster.running(name);
  const addresses = ['a', 'b'].map((name) => cluster.pod(name)?.status.podIP);
  expect(new Set(addresses).size).toBe(2);
  for (const address of addresses) {
    await eventually(async () => expect((await fetch(`http://${address}:8700/healthz`)).status).toBe(200));
  }
  const uid = cluster.pod('a')?.metadata.uid ?? '';
  expect(await marked(uid)).not.toEqual([]);
  await cluster.api.call('DELETE', '/pods/a');
  await eventually(() => expect(cluster.pod('a')).toBeUndefined());
  expect(await marked(uid)).toEqual([]);
});

test('agents end with the process that runs the fake, even if that is killed', async () => {
  const program = fileURLToPath(new URL('../one-pod-program.ts', import.meta.url));
  const directory = await mkdtemp(join(tmpdir(), 'holdfast-'));
  const env = { ...process.env, TMPDIR: directory };
  const child = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(child.stdout, 'data');
  const uid = String(line).trim();
  await eventually(async () => expect(await marked(uid)).not.toEqual([]));
  child.kill('SIGKILL');
  await once(child, 'exit');
  await eventually(async () => expect(await marked(uid)).toEqual([]));
  await rm(directory, { recursive: true });
});

test('gives out the address that was freed last if the test asks for that', async () => {
  await using cluster = await withPods({ startContainer: idleContainer, reuse: 'last' }, 'a', 'b');
  for (const name of ['a', 'b']) await cluster.running(name);
  const address = cluster.pod('a')?.status.podIP;
  cluster.fake.operator.crash('a');
  await eventually(() => expect(cluster.pod('a')?.status.phase).toBe('Failed'));
  await cluster.api.call('POST', '/pods', { body: podManifest('c') });
  await cluster.running('c');
  expect(cluster.pod('c')?.status.podIP).toBe(address);
  expect(cluster.pod('a')?.status.podIP).toBe(address);
});

test('shows acts of an operator or the node in the status as a cluster does', async () => {
  await using cluster = await withPods({ startContainer: idleContainer }, 'crashed', 'evicted', 'oom', 'lost');
  const { operator } = cluster.fake;
  for (const name of ['crashed', 'evicted', 'oom', 'lost']) await cluster.running(name);
  operator.crash('crashed');
  operator.evict('evicted');
  operator.oom('oom');
  operator.loseNode('lost');
  const ended = (reason: string) => ({
    phase: 'Failed',
    containerStatuses: [{ state: { terminated: { reason, exitCode: 137 } } }],
  });
  await eventually(() => {
    expect(cluster.pod('crashed')?.status).toMatchObject(ended('Error'));
    expect(cluster.pod('evicted')?.status).toMatchObject({ ...ended('Error'), reason: 'Evicted' });
    expect(cluster.pod('oom')?.status).toMatchObject(ended('OOMKilled'));
  });
  expect(cluster.pod('lost')).toMatchObject({
    metadata: { deletionTimestamp: expect.any(String) },
    status: { phase: 'Running', reason: 'NodeLost' },
  });
  const { uid } = cluster.pod('evicted')?.metadata ?? {};
  const events = await cluster.api.call('GET', `/events?fieldSelector=involvedObject.uid%3D${uid}`);
  expect(events.body.items.map(({ reason }: { reason: string }) => reason).sort()).toEqual(['Evicted', 'Started']);
});

test('pods wait for room on a node and for their image, and their status says so', async () => {
  await using cluster = await withPods({ startContainer: idleContainer });
  const { scheduling, imagePulls } = cluster.fake;
  scheduling.close();
  imagePulls.close();
  await cluster.api.call('POST', '/pods', { body: podManifest('a') });
  await eventually(() => expect(cluster.reasons()).toEqual(['FailedScheduling']));
  expect(cluster.pod('a')?.status.conditions).toMatchObject([{ status: 'False', reason: 'Unschedulable' }]);
  scheduling.open();
  await eventually(() => expect(cluster.reasons()).toContain('BackOff'));
  const waiting = { state: { waiting: { reason: 'ImagePullBackOff' } } };
  expect(cluster.pod('a')?.status).toMatchObject({ phase: 'Pending', containerStatuses: [waiting] });
  imagePulls.open();
  await cluster.running('a');
});
