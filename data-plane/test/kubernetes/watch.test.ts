import { expect, test } from 'vitest';
import type { SandboxKey } from '../../src/runtimes/runtime.ts';
import { idleContainer } from '../fake-kubernetes/kubelet/start-container.ts';
import type { FakeKubernetes } from '../fake-kubernetes/start-fake-kubernetes.ts';
import { eventually } from '../support/eventually.ts';
import { startKubernetesRuntime } from '../support/kubernetes-runtime.ts';

type Times = { relistMs: number; silenceMs: number };
const never = 3_600_000;
const pauseMs = { first: 20, max: 200 };

/** Starts a runtime that lists again, or drops a silent watch, only if the test sets a time for it. */
async function start({ relistMs = never, silenceMs = never }: Partial<Times> = {}) {
  const followTimes = { relistMs, silenceMs, pauseMs };
  const cluster = await startKubernetesRuntime({ startContainer: idleContainer, bookmarkMs: 100 }, { followTimes });
  const ended: SandboxKey[] = [];
  cluster.runtime.onEnded((sandbox) => ended.push(sandbox));
  return Object.assign(cluster, { ended });
}

const watches = (fake: FakeKubernetes) => fake.server.requests['watch pods'] ?? 0;

type Cluster = Awaited<ReturnType<typeof start>>;

const interruptions: [string, (cluster: Cluster) => unknown][] = [
  ['is reset', ({ fake }) => expect(fake.watches.cut()).toBe(1)],
  ['expires', ({ fake }) => expect(fake.watches.expire()).toBe(1)],
  [
    'is reset, and the server drops its version meanwhile',
    ({ fake }) => {
      fake.compact();
      fake.watches.cut();
    },
  ],
  [
    'is refused when it starts again',
    ({ fake }) => {
      fake.faults.arm('refuse', { verb: 'watch', status: 500, times: 3 });
      fake.faults.arm('refuse', { verb: 'list', status: 429, retryAfterSeconds: 0 });
      fake.watches.expire();
    },
  ],
  [
    'fails because the server goes down and comes back',
    async ({ fake }) => {
      await fake.server.down();
      await fake.server.up();
    },
  ],
];

test.each(interruptions)('notices the end of a pod after a watch %s', async (_, interrupt) => {
  await using cluster = await start();
  const { name, uid } = await cluster.launch();
  await eventually(() => expect(cluster.fake.watches.open).toBe(1));
  await interrupt(cluster);
  cluster.fake.operator.crash(name);
  await eventually(() => expect(cluster.ended).toEqual([{ name, uid }]), 20_000);
});

test('notices the end of a pod if the event of that end is cut off', async () => {
  await using cluster = await start();
  const { name, uid } = await cluster.launch();
  const before = watches(cluster.fake);
  await eventually(() => expect(cluster.fake.watches.open).toBe(1));
  cluster.fake.faults.arm('truncateEvent', { resource: 'pods' });
  cluster.fake.operator.crash(name);
  await eventually(() => expect(cluster.ended).toEqual([{ name, uid }]), 20_000);
  expect(cluster.fake.faults.happened('truncateEvent')).toBe(1);
  expect(watches(cluster.fake)).toBeGreaterThan(before);
});

test('notices the end of a pod if a watch falls silent without being cut', async () => {
  await using cluster = await start({ silenceMs: 500 });
  const { name, uid } = await cluster.launch();
  await eventually(() => expect(cluster.fake.watches.open).toBe(1));
  expect(cluster.fake.watches.stall()).toBe(1);
  cluster.fake.faults.arm('stallWatch', { resource: 'pods' });
  cluster.fake.operator.crash(name);
  await eventually(() => expect(cluster.ended).toEqual([{ name, uid }]), 20_000);
  expect(cluster.fake.faults.happened('stallWatch')).toBe(1);
});

test('does not replace a watch that receives only bookmarks', async () => {
  await using cluster = await start({ silenceMs: 500 });
  await eventually(() => expect(cluster.fake.watches.open).toBe(1));
  const before = watches(cluster.fake);
  const { bookmarks } = cluster.fake.watches;
  await eventually(() => expect(cluster.fake.watches.bookmarks - bookmarks).toBeGreaterThan(15));
  expect(watches(cluster.fake)).toBe(before);
});

test('notices the end of a pod whose events never arrive with the next complete list', async () => {
  await using cluster = await start({ relistMs: 1000 });
  const { name, uid } = await cluster.launch();
  cluster.fake.faults.arm('dropEvent', { resource: 'pods', times: Number.POSITIVE_INFINITY });
  cluster.fake.operator.delete(name);
  await eventually(() => expect(cluster.fake.pods.find(name)).toBeUndefined());
  await eventually(() => expect(cluster.ended).toEqual([{ name, uid }]), 20_000);
  expect(cluster.fake.faults.happened('dropEvent')).toBeGreaterThan(0);
});

test('reports an end once if its events arrive twice', async () => {
  await using cluster = await start();
  cluster.fake.faults.arm('duplicateEvent', { resource: 'pods', times: Number.POSITIVE_INFINITY });
  const first = await cluster.launch();
  const second = await cluster.launch();
  for (const { name } of [first, second]) cluster.fake.operator.crash(name);
  const keys = [first, second].map(({ name, uid }) => ({ name, uid }));
  await eventually(() => expect(cluster.ended).toEqual(keys));
  expect(cluster.fake.faults.happened('duplicateEvent')).toBeGreaterThan(3);
});

test('a launch succeeds if the watch does not report that its pod runs', async () => {
  await using cluster = await start();
  await eventually(() => expect(cluster.fake.watches.stall()).toBe(1));
  expect(await cluster.launch()).toMatchObject({ phase: 'running' });
});

test('does not report the end of a sandbox that was destroyed', async () => {
  await using cluster = await start();
  const [destroyed, crashed] = [await cluster.launch(), await cluster.launch()];
  await cluster.runtime.destroy(destroyed);
  cluster.fake.operator.crash(crashed.name);
  await eventually(() => expect(cluster.ended).toEqual([{ name: crashed.name, uid: crashed.uid }]));
});
