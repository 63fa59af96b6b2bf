import { beforeAll, expect, test } from 'vitest';
import { eventually } from '../../data-plane/test/support/eventually.ts';
import type { Holdfast, StepEvent } from '../cluster/connect-holdfast.ts';
import { installHoldfast } from '../cluster/install-holdfast.ts';
import { kubectl } from '../cluster/kubectl.ts';
import { sandboxNamespace } from '../cluster/namespaces.ts';
import { type NodeShell, startNodeShell } from '../cluster/node-shell.ts';
import type { Pod } from '../cluster/pods.ts';
import { hostnameIn, sandboxOf } from '../cluster/sandbox-of.ts';

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

const sleep = 'import time\nprint("runs", flush=True)\ntime.sleep(300)';

/** Memory of anonymous files does not count as the process's own, so the kernel kills the largest process: the agent. */
const eatPodMemory = `
import os
print("runs", flush=True)
file = os.memfd_create("hog")
while True: os.write(file, b"x" * 1_048_576)`;

const ends: { how: string; code: string; end: (pod: Pod) => Promise<unknown>; reason: string }[] = [
  {
    how: 'kubectl delete pod',
    code: sleep,
    end: ({ metadata }) => kubectl(['-n', sandboxNamespace, 'delete', 'pod', metadata.name, '--wait=false']),
    reason: 'deleted_by_operator',
  },
  {
    how: "kill -9 of the agent's process",
    code: sleep,
    end: (pod) => node.killIn(pod, 'agent.mjs'),
    reason: 'sandbox_exited',
  },
  { how: 'exhausted memory', code: eatPodMemory, end: async () => {}, reason: 'oom_killed' },
];

test.each(ends)('$how fails the session and its running step as $reason', async ({ code, end, reason }) => {
  const { id } = await holdfast.createSession();
  const pod = await sandboxOf(holdfast, id);
  const stream = holdfast.streamStep(id, { code });
  let last: StepEvent | undefined;
  for await (const event of stream) {
    last = event;
    if (event.type === 'stdout') await end(pod);
  }
  const laterStatuses = new Set<number>();
  const session = await eventually(async () => {
    const later = await holdfast.request('POST', `/v1/sessions/${id}/steps`, { code: '1', timeoutSeconds: 5 });
    laterStatuses.add(later.status);
    expect([later.status, later.body.code]).toEqual([410, 'session-ended']);
    return (await holdfast.request('GET', `/v1/sessions/${id}`)).body;
  }, 60_000);
  // Before the reconciler has decided, the sandbox is only unreachable. No step runs in a new sandbox.
  expect([[410], [503, 410]]).toContainEqual([...laterStatuses]);
  expect(session).toMatchObject({ status: 'failed', endReason: reason, endMessage: expect.any(String) });
  // An agent that is told to stop may still report that it has interrupted the code.
  const ending = { status: expect.stringMatching(/^(lost|interrupted)$/), cause: { code: reason } };
  expect(last).toMatchObject({ type: 'finished', step: ending });
  expect(await holdfast.history(id)).toMatchObject([{ status: 'succeeded' }, ending]);
  await holdfast.request('DELETE', `/v1/sessions/${id}`);
});

test('a kernel that exhausts the memory ends its step as oom_killed, and the session goes on in a reset context', async () => {
  const { id } = await holdfast.createSession();
  const before = await hostnameIn(holdfast, id);
  await holdfast.runStep(id, { code: 'kept = 1' });
  const events: StepEvent[] = [];
  for await (const event of holdfast.streamStep(id, { code: 'hog = b"x" * (1 << 30)' })) events.push(event);
  expect(events.find(({ type }) => type === 'state_reset')).toMatchObject({ contextEpoch: 2 });
  expect(events.at(-1)).toMatchObject({
    step: { status: 'failed', cause: { code: 'oom_killed' }, outcome: { stateSurvived: false } },
  });
  expect(await holdfast.runStep(id, { code: 'kept' })).toMatchObject({ contextEpoch: 2, error: { name: 'NameError' } });
  expect(await hostnameIn(holdfast, id)).toBe(before);
  await holdfast.request('DELETE', `/v1/sessions/${id}`);
});
