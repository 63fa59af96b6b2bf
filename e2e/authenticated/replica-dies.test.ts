import { beforeAll, expect, test } from 'vitest';
import { eventually } from '../../data-plane/test/support/eventually.ts';
import type { Holdfast, ReplicaClient } from '../cluster/connect-holdfast.ts';
import { installHoldfast } from '../cluster/install-holdfast.ts';
import { holdfastNamespace } from '../cluster/namespaces.ts';
import { type NodeShell, startNodeShell } from '../cluster/node-shell.ts';
import { pod, replicaPods, restartsOf } from '../cluster/pods.ts';

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

const sessionCount = 5;
const contextsEach = 10;

/** Runs until the file `go` exists in the workspace. */
const codeOf = (i: number) => `
import os, time
while not os.path.exists("/workspace/go"): time.sleep(0.05)
print("step", ${i})
${i} * ${i}`;

const release = 'require("fs").writeFileSync("/workspace/go", "")';

test('the other replica records all fifty steps of a killed replica once, with true results', async () => {
  const [dying, other] = (await holdfast.replicas()) as [ReplicaClient, ReplicaClient];
  const before = await pod(holdfastNamespace, dying.name);
  const sessions = await Promise.all(Array.from({ length: sessionCount }, () => other.createSession()));
  const contexts = await Promise.all(sessions.map(({ id }) => contextIds(other, id)));
  const asked = sessions.flatMap(({ id }, s) =>
    (contexts[s] ?? []).map((contextId, c) => ({ id, contextId, i: s * contextsEach + c })),
  );
  const lost = asked.map(({ id, contextId, i }) =>
    dying.request('POST', `/v1/sessions/${id}/steps`, { contextId, code: codeOf(i) }).then(
      ({ status }) => `answered ${status}`,
      () => 'connection lost',
    ),
  );
  await eventually(async () => {
    const running = await Promise.all(
      sessions.map(async ({ id }) => (await other.history(id)).filter(({ status }) => status === 'running')),
    );
    expect(running.flat()).toHaveLength(asked.length);
  }, 60_000);

  await node.killIn(before, 'main.mjs');
  expect(new Set(await Promise.all(lost))).toEqual(new Set(['connection lost']));
  // No replica follows the steps yet, so only the agents know that they end.
  const released = await Promise.all(sessions.map(({ id }) => other.runStep(id, { language: 'node', code: release })));
  expect(released.map(({ error }) => error)).toEqual(sessions.map(() => null));

  await eventually(async () => {
    const unfinished = await Promise.all(
      sessions.map(async ({ id }) => (await other.history(id)).filter(({ finishedAt }) => finishedAt === null)),
    );
    expect(unfinished.flat()).toEqual([]);
  }, 60_000);
  const steps = (await Promise.all(sessions.map(({ id }) => other.history(id))))
    .flat()
    .filter(({ language }) => language === 'python');
  const recorded = steps.map(({ status, code, stdout, results }) => ({
    status,
    code,
    stdout,
    shown: results[0]?.data['text/plain'],
  }));
  const byCode = (a: { code: string }, b: { code: string }) => (a.code < b.code ? -1 : 1);
  expect(recorded.sort(byCode)).toEqual(
    asked
      .map(({ i }) => ({ status: 'succeeded', code: codeOf(i), stdout: `step ${i}\n`, shown: String(i * i) }))
      .sort(byCode),
  );

  await eventually(async () => {
    expect(restartsOf(await pod(holdfastNamespace, dying.name))).toBeGreaterThan(restartsOf(before));
    expect(await replicaPods()).toHaveLength(2);
  }, 60_000);
  await Promise.all(sessions.map(({ id }) => other.request('DELETE', `/v1/sessions/${id}`)));
});

/** The ids of the default context and of further ones, so that each step has a context of its own. */
async function contextIds(replica: ReplicaClient, sessionId: string): Promise<string[]> {
  const made = await Promise.all(
    Array.from({ length: contextsEach - 1 }, () =>
      replica.request('POST', `/v1/sessions/${sessionId}/contexts`, { language: 'python' }),
    ),
  );
  expect(made.map(({ status }) => status)).toEqual(made.map(() => 201));
  return ['python', ...made.map(({ body }) => body.id as string)];
}
