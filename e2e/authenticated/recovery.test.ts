import { beforeAll, expect, test } from 'vitest';
import { eventually } from '../../data-plane/test/support/eventually.ts';
import type { Holdfast } from '../cluster/connect-holdfast.ts';
import { installHoldfast } from '../cluster/install-holdfast.ts';
import { kubectl } from '../cluster/kubectl.ts';
import { sandboxNamespace } from '../cluster/namespaces.ts';
import { type NodeShell, startNodeShell } from '../cluster/node-shell.ts';
import type { Pod } from '../cluster/pods.ts';
import { sandboxOf } from '../cluster/sandbox-of.ts';

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

const steps = [
  'import functools, socket, dataclasses\nimport numpy as np, pandas as pd',
  'class Account:\n  def __init__(self): self.total = 0\n  def put(self, n): self.total += n; return self.total\naccount = Account(); account.put(5)',
  '@dataclasses.dataclass\nclass Point:\n  x: int\npoint = Point(3)',
  'def counter():\n  n = 0\n  def step():\n    nonlocal n\n    n += 1\n    return n\n  return step\nstep = counter(); step()',
  'def twice(f):\n  @functools.wraps(f)\n  def run(*a): return 2 * f(*a)\n  return run\n@twice\ndef f(k): return k + len(items)',
  'items = [1]; table = {"items": items}; cycle = []; cycle.append(cycle)',
  'array = np.arange(1000); view = array[10:20]; frame = pd.DataFrame({"a": [1, 2]})',
  'connection = socket.socket(); lazy = (n for n in items)',
];
const check =
  '(account.put(1), point, step(), f(1), table["items"] is items, cycle[0] is cycle, int(array.sum()), view.base is not None, frame["a"].tolist())';
const truth = '(6, Point(x=3), 2, 4, True, True, 499500, True, [1, 2])';

type Recovered = { lostReason: string; lastRecovery: { contexts: { lost: { name: string }[] }[] } | null };

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

test.each(losses)('a session has its state again after $how, and names exactly the rest', async ({ lose, reason }) => {
  const { id } = await holdfast.createSession({ recovery: 'auto' });
  const pod = await sandboxOf(holdfast, id);
  for (const code of steps) expect(await holdfast.runStep(id, { code })).toMatchObject({ error: null });
  await eventually(async () => {
    const { items } = (await holdfast.request('GET', `/v1/sessions/${id}/snapshots`)).body;
    const [latest]: { notSaved: { name: string }[] }[] = items;
    expect(latest?.notSaved.map(({ name }) => name)).toContain('lazy');
  }, 30_000);
  await lose(pod);
  const lostAt = performance.now();
  // No step: one that reached the dying sandbox would count as lost, with all that it mentions.
  await eventually(async () => {
    await holdfast.request('GET', `/v1/sessions/${id}/contexts`);
    const { body } = await holdfast.request('GET', `/v1/sessions/${id}`);
    expect(body).toMatchObject({ status: 'active', epoch: 2 });
  }, 60_000);
  // A replica that has the earlier sandbox in memory refuses one step, which then has not started, and looks for the next one.
  const step = await eventually(() => holdfast.runStep(id, { code: check }), 20_000);
  console.log(`the next step ran ${Math.round(performance.now() - lostAt)} ms after the loss`);
  const session: Recovered = (await holdfast.request('GET', `/v1/sessions/${id}`)).body;
  const [context] = session.lastRecovery?.contexts ?? [];
  expect(context?.lost.map(({ name }) => name).sort(), JSON.stringify(context)).toEqual(['connection', 'lazy']);
  expect(step).toMatchObject({ error: null, results: [{ data: { 'text/plain': truth } }] });
  expect(session.lostReason).toMatch(reason);
});

test('a session has everything again after its node was drained, though its latest step was not saved yet', async () => {
  const { id } = await holdfast.createSession({ recovery: 'auto' });
  const pod = await sandboxOf(holdfast, id);
  await holdfast.runStep(id, { code: 'import os; big = os.urandom(20_000_000); n = 1' });
  await holdfast.runStep(id, { code: 'n += 1; text = "latest"' });
  const nodeName = pod.spec.nodeName ?? '';
  const selector = `--field-selector=metadata.name=${pod.metadata.name}`;
  await kubectl(['cordon', nodeName]);
  try {
    await kubectl(['-n', sandboxNamespace, 'delete', 'pod', selector, '--wait=false']);
    await eventually(async () => {
      const { body } = await holdfast.request('GET', `/v1/sessions/${id}`);
      expect(body).toMatchObject({ status: 'recovering' });
    }, 30_000);
  } finally {
    await kubectl(['uncordon', nodeName]);
  }
  await eventually(async () => {
    await holdfast.request('GET', `/v1/sessions/${id}/contexts`);
    expect((await holdfast.request('GET', `/v1/sessions/${id}`)).body).toMatchObject({ status: 'active' });
  }, 60_000);
  const step = await eventually(() => holdfast.runStep(id, { code: '(len(big), n, text)' }), 20_000);
  expect(step).toMatchObject({ error: null, results: [{ data: { 'text/plain': "(20000000, 2, 'latest')" } }] });
});
