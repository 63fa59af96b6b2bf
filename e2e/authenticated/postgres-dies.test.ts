import { beforeAll, expect, test } from 'vitest';
import { eventually } from '../../data-plane/test/support/eventually.ts';
import type { Holdfast } from '../cluster/connect-holdfast.ts';
import { installHoldfast } from '../cluster/install-holdfast.ts';
import { holdfastNamespace } from '../cluster/namespaces.ts';
import { type NodeShell, startNodeShell } from '../cluster/node-shell.ts';
import { pod, postgresPod, replicaPods, restartsOf } from '../cluster/pods.ts';

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

test('a kill of Postgres under load loses no acknowledged step and gives no wrong answer, and replicas go on without a restart', async () => {
  const postgres = await postgresPod();
  const replicas = await replicaPods();
  const sessions = await Promise.all([1, 2, 3, 4].map(() => holdfast.createSession()));
  await Promise.all(sessions.map(({ id }) => holdfast.runStep(id, { code: 'ran = []' })));

  const load = startLoad(sessions.map(({ id }) => id));
  await load.acknowledgedSince(0, 20);
  await node.killIn(postgres, 'postgres');
  await eventually(async () => {
    expect(restartsOf(await pod(holdfastNamespace, postgres.metadata.name))).toBeGreaterThan(restartsOf(postgres));
  }, 60_000);
  await postgresIsBack();
  await load.acknowledgedSince(load.attempts(), 20);
  const { acknowledged, refusals } = await load.stop();

  expect(refusals.filter(({ status, retryAfter }) => status !== 503 || retryAfter === null)).toEqual([]);
  for (const { id } of sessions) {
    const mine = acknowledged.filter(({ sessionId }) => sessionId === id);
    const history = new Map((await holdfast.history(id)).map((step) => [step.id, step]));
    for (const { stepId, attempt, stdout } of mine) {
      expect(stdout).toBe(`ran ${attempt}\n`);
      expect(history.get(stepId)).toMatchObject({ status: 'succeeded', stdout });
    }
    const ran = JSON.parse((await holdfast.runStep(id, { code: 'print(ran)' })).stdout) as number[];
    expect(ran).toEqual([...new Set(ran)].sort((a, b) => a - b));
    expect(ran).toEqual(expect.arrayContaining(mine.map(({ attempt }) => attempt)));
  }
  const uidAndRestarts = (pods: typeof replicas) => pods.map((one) => `${one.metadata.uid} ${restartsOf(one)}`).sort();
  await eventually(async () => expect(uidAndRestarts(await replicaPods())).toEqual(uidAndRestarts(replicas)), 30_000);
  await Promise.all(sessions.map(({ id }) => holdfast.request('DELETE', `/v1/sessions/${id}`)));
});

const postgresIsBack = () => eventually(() => postgresPod(), 60_000);

type Acknowledged = { sessionId: string; attempt: number; stepId: string; stdout: string };
type Refusal = { status: number; retryAfter: string | null };

/** Runs one step after the other in each session. Each step has a number of its own. */
function startLoad(sessionIds: string[]) {
  const acknowledged: Acknowledged[] = [];
  const refusals: Refusal[] = [];
  let attempts = 0;
  let stopping = false;
  const drive = async (sessionId: string) => {
    while (!stopping) {
      const attempt = ++attempts;
      const code = `ran.append(${attempt}); print("ran", ${attempt})`;
      const { status, headers, body } = await holdfast.request('POST', `/v1/sessions/${sessionId}/steps`, { code });
      if (status === 200) acknowledged.push({ sessionId, attempt, stepId: body.id, stdout: body.stdout });
      else refusals.push({ status, retryAfter: headers.get('retry-after') });
    }
  };
  const drives = Promise.all(sessionIds.map(drive));
  return {
    attempts: () => attempts,
    /** Waits until `count` steps with a number above `since` are acknowledged. */
    acknowledgedSince: (since: number, count: number) =>
      Promise.race([
        drives,
        eventually(
          () => expect(acknowledged.filter(({ attempt }) => attempt > since).length).toBeGreaterThanOrEqual(count),
          60_000,
        ),
      ]),
    async stop() {
      stopping = true;
      await drives;
      return { acknowledged, refusals };
    },
  };
}
