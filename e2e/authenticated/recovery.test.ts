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

const fill = 'import os\nhog = os.memfd_create("hog")\nwhile True: os.write(hog, b"x" * 1_048_576)';

const losses: { how: string; lose: (pod: Pod, id: string) => Promise<unknown>; reason: RegExp; lost: string[] }[] = [
  {
    how: 'its pod was deleted without grace',
    lose: ({ metadata: { name } }) =>
      kubectl(['-n', sandboxNamespace, 'delete', 'pod', name, '--grace-period=0', '--force', '--wait=false']),
    reason: /^(deleted_by_operator|sandbox_lost)$/,
    lost: ['connection', 'lazy'],
  },
  {
    how: 'its agent was killed',
    lose: (pod) => node.killIn(pod, 'agent.mjs'),
    reason: /^sandbox_exited$/,
    lost: ['connection', 'lazy'],
  },
  {
    how: 'it used up its memory',
    // The step that did it is lost, and is not run again.
    lose: async (_, id) => expect(await holdfast.runStep(id, { code: fill })).toMatchObject({ status: 'lost' }),
    reason: /^oom_killed$/,
    lost: ['connection', 'hog', 'lazy', 'os'],
  },
];

test.each(losses)(
  'a session has its state again after $how, and names exactly the rest',
  async ({ lose, reason, lost }) => {
    const { id } = await holdfast.createSession({ recovery: 'auto' });
    const pod = await sandboxOf(holdfast, id);
    for (const code of steps) expect(await holdfast.runStep(id, { code })).toMatchObject({ error: null });
    await eventually(async () => {
      const { items } = (await holdfast.request('GET', `/v1/sessions/${id}/snapshots`)).body;
      const [latest]: { notSaved: { name: string }[] }[] = items;
      expect(latest?.notSaved.map(({ name }) => name)).toContain('lazy');
    }, 30_000);
    await lose(pod, id);
    const lostAt = performance.now();
    const step = await eventually(async () => {
      const answer = await holdfast.request('POST', `/v1/sessions/${id}/steps`, { code: check });
      expect([answer.status, answer.body.epoch]).toEqual([200, 2]);
      return answer.body;
    }, 60_000);
    console.log(`the next step ran ${Math.round(performance.now() - lostAt)} ms after the loss`);
    expect(step).toMatchObject({ status: 'succeeded', results: [{ data: { 'text/plain': truth } }] });
    const session: Recovered = (await holdfast.request('GET', `/v1/sessions/${id}`)).body;
    expect(session.lostReason).toMatch(reason);
    expect(session.lastRecovery?.contexts[0]?.lost.map(({ name }) => name).sort()).toEqual(lost);
  },
);
