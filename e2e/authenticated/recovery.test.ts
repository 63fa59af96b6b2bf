import { beforeAll, expect, test } from 'vitest';
import { eventually } from '../../data-plane/test/support/eventually.ts';
import { programs } from '../../data-plane/test/support/state/state-programs.ts';
import type { Session } from '../../specs/src/public/index.ts';
import type { Holdfast, StepEvent } from '../cluster/connect-holdfast.ts';
import { installHoldfast } from '../cluster/install-holdfast.ts';
import { kubectl } from '../cluster/kubectl.ts';
import { sandboxNamespace } from '../cluster/namespaces.ts';
import { type NodeShell, startNodeShell } from '../cluster/node-shell.ts';
import type { Pod } from '../cluster/pods.ts';
import { hostnameIn, sandboxOf } from '../cluster/sandbox-of.ts';
import { notSaved, resultOfUse, richState, useOfState } from '../rich-state.ts';

let holdfast: Holdfast;
beforeAll(async () => {
  holdfast = await installHoldfast();
  return holdfast.close;
});

let node: NodeShell;
beforeAll(async () => {
  node = await startNodeShell();
  return node.remove;
});

const { python } = programs;

const read = async (id: string): Promise<Session> => (await holdfast.request('GET', `/v1/sessions/${id}`)).body;

/** A session with state of many kinds, all of which is in a snapshot. */
async function sessionWithState(): Promise<{ id: string; pod: Pod }> {
  const { id } = await holdfast.createSession({ recovery: 'auto' });
  const pod = await sandboxOf(holdfast, id);
  for (const code of richState) expect(await holdfast.runStep(id, { code })).toMatchObject({ error: null });
  await eventually(async () => {
    const { items } = (await holdfast.request('GET', `/v1/sessions/${id}/snapshots`)).body;
    const [latest]: { notSaved: { name: string }[] }[] = items;
    expect(latest?.notSaved.map(({ name }) => name)).toContain('lazy');
  }, 30_000);
  return { id, pod };
}

/** Waits for the next sandbox. Runs no step: one that reached the dying sandbox would count as lost, with all that it mentions. */
async function recovered(id: string): Promise<Session> {
  return await eventually(async () => {
    await holdfast.request('GET', `/v1/sessions/${id}/contexts`);
    const session = await read(id);
    expect(session).toMatchObject({ status: 'active', epoch: 2 });
    return session;
  }, 60_000);
}

/** A replica that has the earlier sandbox in memory refuses one step, which then has not started, and looks for the next one. */
const nextStep = (id: string, code: string) => eventually(() => holdfast.runStep(id, { code }), 20_000);

const lostIn = ({ lastRecovery }: Session) => lastRecovery?.contexts[0]?.lost.map(({ name }) => name).sort();

const losses: { how: string; lose: (pod: Pod) => Promise<unknown>; reason: RegExp }[] = [
  {
    how: 'its pod was deleted without grace',
    lose: ({ metadata: { name } }) =>
      kubectl(['-n', sandboxNamespace, 'delete', 'pod', name, '--grace-period=0', '--force', '--wait=false']),
    reason: /^(deleted_by_operator|sandbox_lost)$/,
  },
  {
    how: 'its agent was killed',
    lose: (pod) => node.killIn(pod, 'agent.mjs'),
    reason: /^sandbox_exited$/,
  },
];

test.each(losses)(
  'a session has its state again soon after $how, and names exactly the rest',
  async ({ lose, reason }) => {
    const { id, pod } = await sessionWithState();
    const lostAt = performance.now();
    await lose(pod);
    const session = await recovered(id);
    const step = await nextStep(id, useOfState);
    const tookMs = performance.now() - lostAt;
    console.log(`the next step ran ${Math.round(tookMs)} ms after the loss`);
    expect(lostIn(session), JSON.stringify(session.lastRecovery)).toEqual(notSaved);
    expect(step).toMatchObject({ error: null, results: [{ data: { 'text/plain': resultOfUse } }] });
    expect(session.lostReason).toMatch(reason);
    // Ten seconds on a machine that is not busy; the figure is printed.
    expect(tookMs).toBeLessThan(60_000);
  },
);

/** Memory of anonymous files does not count as the process's own, so the kernel kills the largest process: the agent, if Python has little. */
const eatPodMemory = `
open("ran", "a").write("x")
print("runs", flush=True)
import os
file = os.memfd_create("hog")
while True: os.write(file, b"x" * 1_048_576)`;

test('a session whose sandbox ran out of memory has its state again, and the step that took it is lost and does not run again', async () => {
  const { id } = await holdfast.createSession({ recovery: 'auto' });
  await holdfast.runStep(id, { code: python.start });
  await eventually(async () => {
    const { items } = (await holdfast.request('GET', `/v1/sessions/${id}/snapshots`)).body;
    expect(items[0]?.saved.map(({ name }: { name: string }) => name)).toContain('items');
  }, 30_000);
  const events: StepEvent[] = [];
  for await (const event of holdfast.streamStep(id, { code: eatPodMemory })) events.push(event);
  expect(events.map(({ type }) => type)).toContain('stdout');
  expect(events.at(-1)).toMatchObject({ type: 'finished', step: { status: 'lost', cause: { code: 'oom_killed' } } });
  const session = await recovered(id);
  expect(session.lostReason).toBe('oom_killed');
  expect(lostIn(session)).toEqual(['file', 'os']);
  expect(await nextStep(id, python.show)).toMatchObject({ error: null, stdout: `${python.truth(1)}\n` });
  expect(await nextStep(id, 'from pathlib import Path; Path("ran").exists()')).toMatchObject({
    epoch: 2,
    results: [{ data: { 'text/plain': 'False' } }],
  });
});

test('a kernel that ran out of memory gets its state back in the same sandbox, and the step that took it does not run again', async () => {
  const { id, pod } = await sessionWithState();
  const code = 'open("ran", "a").write("x")\nhog = b"x" * (1 << 30)';
  expect(await holdfast.runStep(id, { code })).toMatchObject({
    status: 'failed',
    cause: { code: 'oom_killed' },
    outcome: { stateSurvived: false },
  });
  const events: StepEvent[] = [];
  for await (const event of holdfast.streamStep(id, { code: useOfState })) events.push(event);
  const reset = events.find(({ type }) => type === 'state_reset') as Extract<StepEvent, { type: 'state_reset' }>;
  expect(reset.lost.toSorted()).toEqual([...notSaved, 'hog'].sort());
  expect(events.at(-1)).toMatchObject({
    step: { error: null, epoch: 1, contextEpoch: 2, results: [{ data: { 'text/plain': resultOfUse } }] },
  });
  expect(await holdfast.runStep(id, { code: 'open("ran").read()' })).toMatchObject({
    results: [{ data: { 'text/plain': "'x'" } }],
  });
  expect(await hostnameIn(holdfast, id)).toBe(pod.metadata.name);
});

/**
 * Evicts the sandboxes of a node as `kubectl drain` does, and no other pods: on a single node they would take Postgres with them. Returns when
 * their objects are gone, which may be a minute after their processes.
 */
const drain = (nodeName: string) =>
  kubectl(
    [
      'drain',
      nodeName,
      '--force',
      '--ignore-daemonsets',
      '--delete-emptydir-data',
      '--pod-selector=app.kubernetes.io/name=holdfast-sandbox',
      '--timeout=120s',
    ],
    { timeoutMs: 130_000 },
  );

test('a session has everything again after its node was drained, though its latest step was not saved yet', async () => {
  const { id, pod } = await sessionWithState();
  await holdfast.runStep(id, { code: 'big = np.random.bytes(20_000_000); n = 1' });
  await holdfast.runStep(id, { code: 'n += 1; text = "latest"' });
  const nodeName = pod.spec.nodeName ?? '';
  const drained = drain(nodeName);
  // It is waited for last.
  drained.catch(() => {});
  try {
    await eventually(async () => expect(await read(id)).toMatchObject({ status: 'recovering' }), 30_000);
  } finally {
    await kubectl(['uncordon', nodeName]);
  }
  const session = await recovered(id);
  expect(session.lostReason).toMatch(/^(evicted|deleted_by_operator)$/);
  expect(lostIn(session)).toEqual(notSaved);
  expect(await nextStep(id, '(len(big), n, text)')).toMatchObject({
    results: [{ data: { 'text/plain': "(20000000, 2, 'latest')" } }],
  });
  const step = await nextStep(id, useOfState);
  expect(step).toMatchObject({ error: null, results: [{ data: { 'text/plain': resultOfUse } }] });
  await drained;
});
