import type { StepEvent } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { replicaStaleSeconds } from '../../src/registry/replicas/beat-replica.ts';
import { eventually } from '../support/eventually.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import type { Holdfast } from '../support/start-holdfast.ts';

let installation: Installation;
let holdfast: Holdfast;

beforeAll(async () => {
  installation = await createInstallation();
  holdfast = await installation.start({ HOLDFAST_STEP_GRACE_SECONDS: '1' });
});

afterAll(() => installation[Symbol.asyncDispose]());

async function agentOf(sessionId: string): Promise<number> {
  const step = await holdfast.runStep(sessionId, { code: 'import os; os.getppid()' });
  return Number(step.results[0]?.data['text/plain']);
}

test('a step that a frozen agent never takes ends at its deadline, and its session fails with the cause', async () => {
  const { id } = await holdfast.createSession();
  process.kill(await agentOf(id), 'SIGSTOP');
  const step = await holdfast.runStep(id, { code: '1', timeoutSeconds: 1 });
  expect(step).toMatchObject({ status: 'lost', cause: { code: 'overran' } });
  await eventually(async () =>
    expect((await holdfast.request('GET', `/v1/sessions/${id}`)).body).toMatchObject({ endReason: 'step_overran' }),
  );
});

test('a step survives an agent that is frozen for a while', async () => {
  const { id } = await holdfast.createSession();
  const agent = await agentOf(id);
  const stream = holdfast.streamStep(id, { code: 'import time; time.sleep(0.3); "survived"' });
  await stream.next();
  process.kill(agent, 'SIGSTOP');
  setTimeout(() => process.kill(agent, 'SIGCONT'), 1500);
  let last: StepEvent | undefined;
  for await (const event of stream) last = event;
  expect(last).toMatchObject({ step: { status: 'succeeded', results: [{ data: { 'text/plain': "'survived'" } }] } });
});

test('a step that waits long in the queue does not count as overrun', async () => {
  const { id } = await holdfast.createSession();
  const first = holdfast.runStep(id, { code: 'import time; time.sleep(4)' });
  await eventually(async () => expect(await holdfast.history(id)).toHaveLength(1));
  const second = await holdfast.runStep(id, { code: '"its turn"', timeoutSeconds: 1 });
  expect([(await first).status, second.status]).toEqual(['succeeded', 'succeeded']);
});

test('a reader that leaves does not interrupt a step for which its requester still waits', async () => {
  const { id } = await holdfast.createSession();
  const stream = holdfast.streamStep(id, { code: 'import time; time.sleep(1); "done"', onDisconnect: 'interrupt' });
  const { stepId } = (await stream.next()).value as StepEvent;
  for await (const _ of holdfast.followStep(id, stepId)) break;
  let last: StepEvent | undefined;
  for await (const event of stream) last = event;
  expect(last).toMatchObject({ step: { status: 'succeeded' } });
});

test('a requester that leaves interrupts a step with onDisconnect "interrupt"', async () => {
  const { id } = await holdfast.createSession();
  const code = { code: 'import time; time.sleep(60)', onDisconnect: 'interrupt' as const };
  for await (const _ of holdfast.streamStep(id, code)) break;
  await eventually(async () => expect((await holdfast.history(id))[0]?.status).toBe('interrupted'));
});

test('a replica that was frozen does not hand over its own steps to itself', async () => {
  const { id } = await holdfast.createSession();
  const stream = holdfast.streamStep(id, { code: 'import time; time.sleep(20); "once"' });
  await stream.next();
  process.kill(holdfast.pid, 'SIGSTOP');
  await eventually(async () => {
    const [replica] = await installation.database.db
      .sql`select heartbeat_at < now() - ${replicaStaleSeconds + 1} * interval '1 second' as stale from replicas`;
    expect(replica?.stale).toBe(true);
  }, 40_000);
  process.kill(holdfast.pid, 'SIGCONT');
  let last: StepEvent | undefined;
  for await (const event of stream) last = event;
  expect(last).toMatchObject({ step: { status: 'succeeded' } });
  const metrics = await (await fetch(`${holdfast.url}/metrics`)).text();
  const count = async () =>
    (await installation.database.db.sql`select count(*)::int as n from steps where finished_at is not null`)[0]?.n;
  const counted = [...metrics.matchAll(/^holdfast_steps_total\{[^}]*\} (\d+)$/gm)].reduce(
    (sum, [, n]) => sum + Number(n),
    0,
  );
  expect(counted).toBe(await count());
}, 60_000);

test('a reader who has seen more of a lost step than is recorded still gets its end, once', async () => {
  const { id: sessionId } = await holdfast.createSession();
  const step = await holdfast.runStep(sessionId, { code: 'for i in range(3): print(i)' });
  await installation.database.db.sql`update steps set status = 'lost', events = null where id = ${step.id}`;
  const from = async (after: number) => {
    const seen: StepEvent[] = [];
    for await (const event of holdfast.followStep(sessionId, step.id, after)) seen.push(event);
    return seen;
  };
  const [end, ...more] = await from(5);
  expect([end, more]).toMatchObject([{ type: 'finished', step: { status: 'lost' } }, []]);
  expect(await from(0)).toEqual([end]);
  const nothing = await fetch(`${holdfast.url}/v1/sessions/${sessionId}/steps/${step.id}/events?after=${end?.seq}`);
  expect(nothing.status).toBe(204);
});
