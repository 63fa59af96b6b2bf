import type { Session, Step } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FakeKubernetes, startFakeKubernetes } from '../fake-kubernetes/start-fake-kubernetes.ts';
import { agentOf, killSandbox } from '../state/kill-sandbox.ts';
import { eventually } from '../support/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { startReplicaOnKubernetes } from '../support/start-on-kubernetes.ts';

type Replica = Awaited<ReturnType<typeof startReplicaOnKubernetes>>;

let fake: FakeKubernetes;
let database: TestDatabase;
let one: Replica;
let two: Replica;
beforeAll(async () => {
  fake = await startFakeKubernetes();
  database = await createTestDatabase();
  const env = { DATABASE_URL: database.url };
  [one, two] = await Promise.all([startReplicaOnKubernetes(fake, env), startReplicaOnKubernetes(fake, env)]);
}, 120_000);
afterAll(async () => {
  await Promise.all([one, two].map((replica) => replica[Symbol.asyncDispose]()));
  await database.drop();
  await fake.close();
});

const spawns = 'import subprocess\nsubprocess.run(["true"]).returncode';
const withoutShell = { execution: { allowShellCommands: false } };
const violation = { status: 'failed', error: { name: 'PolicyViolation' } };
const deniedBy = (rule: string) => ({
  status: 403,
  body: { code: 'policy-denied', detail: expect.stringContaining(rule) },
});

const send = (replica: Replica, id: string, body: object) => replica.request('POST', `/v1/sessions/${id}/steps`, body);
const patch = (replica: Replica, id: string, policy: unknown) =>
  replica.request('PATCH', `/v1/sessions/${id}`, { policy });
const read = async (id: string): Promise<Session> => (await one.request('GET', `/v1/sessions/${id}`)).body;
const python = async (replica: Replica, id: string, code: string): Promise<Step> => await replica.runStep(id, { code });

async function holds(replica: Replica, id: string): Promise<void> {
  expect(await send(replica, id, { code: 'true', language: 'bash' })).toMatchObject(
    deniedBy('execution.allowShellCommands'),
  );
  expect(await python(replica, id, spawns)).toMatchObject(violation);
}

test('safe-analysis refuses shells and the network before anything reaches the sandbox, and audits what it refuses', async () => {
  const session = await one.createSession({ policy: 'safe-analysis' });
  const { id } = session;
  expect(session).toMatchObject({ network: 'none', policy: { preset: 'safe-analysis', world: { readOnly: true } } });
  const shell = deniedBy('execution.allowShellCommands');
  expect(await send(one, id, { code: 'true', language: 'bash', actor: 'user' })).toMatchObject(shell);
  expect(await one.request('POST', `/v1/sessions/${id}/contexts`, { language: 'bash' })).toMatchObject(shell);
  expect(await one.request('POST', '/v1/run', { sessionId: id, language: 'bash', code: 'true' })).toMatchObject(shell);
  expect(await python(one, id, spawns)).toMatchObject(violation);
  expect(await python(one, id, '1 + 1')).toMatchObject({ status: 'succeeded' });
  const audit = await one.request('GET', `/v1/sessions/${id}/audit`);
  const denied = { decision: 'denied', rule: 'execution.allowShellCommands', arguments: { language: 'bash' } };
  expect(audit.body.items.filter((entry: { decision: string }) => entry.decision === 'denied')).toMatchObject([
    { ...denied, operation: 'step.run', actor: 'user' },
    { ...denied, operation: 'context.create' },
    { ...denied, operation: 'job.run' },
  ]);
  expect(await one.history(id)).toMatchObject([
    { language: 'bash', status: 'rejected', outcome: { tag: 'error', kind: 'policy-violation' } },
    { language: 'bash', status: 'rejected', job: {}, outcome: { tag: 'error', kind: 'policy-violation' } },
    { status: 'failed' },
    { status: 'succeeded' },
  ]);
});

test('safe-analysis refuses a session that asks for the network, or whose language is a shell', async () => {
  const create = (body: object) => one.request('POST', '/v1/sessions', { policy: 'safe-analysis', ...body });
  expect(await create({ network: 'internet' })).toMatchObject(deniedBy('execution.allowNetworkCalls'));
  expect(await create({ language: 'bash' })).toMatchObject(deniedBy('execution.allowShellCommands'));
});

test('safe-edit runs shells and programs', async () => {
  const { id } = await one.createSession({ policy: 'safe-edit' });
  expect(await one.runStep(id, { code: 'echo a', language: 'bash' })).toMatchObject({ stdout: 'a\n' });
  expect(await python(one, id, spawns)).toMatchObject({ status: 'succeeded' });
});

test('a policy that was tightened on one replica holds at once on another, which knows only the earlier one', async () => {
  const { id } = await two.createSession();
  expect(await two.runStep(id, { code: 'true', language: 'bash' })).toMatchObject({ status: 'succeeded' });
  expect(await python(two, id, `x = 5\n${spawns}`)).toMatchObject({ status: 'succeeded' });
  expect(await patch(one, id, withoutShell)).toMatchObject({
    status: 200,
    body: { policy: { preset: null, ...withoutShell } },
  });
  await holds(two, id);
  // The kernel that could start programs was replaced.
  expect(await python(two, id, 'x')).toMatchObject({ status: 'failed', error: { name: 'NameError' }, contextEpoch: 2 });
  expect(await patch(two, id, { execution: { allowShellCommands: true } })).toMatchObject({ status: 200 });
  expect(await one.runStep(id, { code: 'true', language: 'bash' })).toMatchObject({ status: 'succeeded' });
});

test('shells that are sent while the policy is tightened on another replica all start before the answer or not at all', async () => {
  const { id } = await two.createSession();
  await two.runStep(id, { code: 'true', language: 'bash' });
  const answers: Promise<{ status: number; sentAfter: boolean }>[] = [];
  let isTight = false;
  const tightened = patch(one, id, withoutShell).then(() => {
    isTight = true;
  });
  while (!isTight || answers.length < 20) {
    const sentAfter = isTight;
    answers.push(send(two, id, { code: 'true', language: 'bash' }).then(({ status }) => ({ status, sentAfter })));
    await Promise.race([tightened, answers.at(-1)]);
    if (isTight) await answers.at(-1);
  }
  for (const { status, sentAfter } of await Promise.all(answers)) {
    expect([200, 403]).toContain(status);
    if (sentAfter) expect(status).toBe(403);
  }
});

test('a policy survives the loss of the sandbox, and a pause, and is that of a fork', async () => {
  const { id } = await one.createSession({ recovery: 'auto' });
  await one.runStep(id, { code: 'v=1', language: 'bash' });
  await python(one, id, 'x = 5');
  await patch(one, id, withoutShell);
  await killSandbox(one, id);
  await eventually(async () => {
    await one.request('GET', `/v1/sessions/${id}/contexts`);
    expect(await read(id)).toMatchObject({ status: 'active', epoch: 2 });
  }, 30_000);
  const bash = (await read(id)).lastRecovery?.contexts.find(({ contextId }) => contextId === 'bash');
  expect(bash).toMatchObject({ restored: [], lost: [{ name: '*', reason: expect.stringContaining('policy') }] });
  await holds(two, id);
  const forks = await one.request('POST', `/v1/sessions/${id}/fork`);
  expect(forks.body.items).toMatchObject([{ policy: withoutShell }]);
  await holds(two, forks.body.items[0].id);
  expect((await one.request('POST', `/v1/sessions/${id}/pause`, { force: true })).status).toBe(200);
  await patch(two, id, { llm: { maxTokensPerCall: 7 } });
  expect((await one.request('POST', `/v1/sessions/${id}/resume`)).status).toBe(200);
  await holds(two, id);
  expect((await read(id)).policy).toMatchObject({ ...withoutShell, llm: { maxTokensPerCall: 7 } });
}, 90_000);

test('a policy that takes the network moves the session to a sandbox without, with its state', async () => {
  const { id } = await one.createSession({ network: 'internet' });
  await python(two, id, 'x = 5');
  const moved = await patch(one, id, { execution: { allowNetworkCalls: false } });
  expect(moved).toMatchObject({ status: 200, body: { network: 'none', epoch: 2, status: 'active' } });
  expect(await python(one, id, 'x')).toMatchObject({ epoch: 2, results: [{ data: { 'text/plain': '5' } }] });
}, 60_000);

test('a policy that takes the network moves a session without budget left, so that it runs once another session has raised the budget', async () => {
  const { id: sharing } = await one.createSession({ budget: { iterations: 1 } });
  const { id } = await one.createSession({ network: 'internet', budgetOf: sharing });
  await python(one, id, 'x = 3');
  const moved = await patch(two, id, { execution: { allowNetworkCalls: false } });
  expect(moved).toMatchObject({ status: 200, body: { network: 'none', status: 'budget_exceeded' } });
  await one.request('PATCH', `/v1/sessions/${sharing}`, { budget: { iterations: 2 } });
  expect(await python(two, id, 'x')).toMatchObject({ results: [{ data: { 'text/plain': '3' } }] });
});

test('while a step keeps a session from moving, none starts in the sandbox with the network', async () => {
  const { id } = await one.createSession({ network: 'internet' });
  const agent = await agentOf(one, id);
  const running = one.runStep(id, { code: 'import time\ntime.sleep(60)' });
  await eventually(async () => expect(await one.history(id)).toMatchObject([{}, { status: 'running' }]));
  const policy = { execution: { allowNetworkCalls: false } };
  expect(await patch(two, id, policy)).toMatchObject({ status: 409, body: { code: 'context-busy' } });
  const rule = deniedBy('execution.allowNetworkCalls');
  expect(await send(one, id, { code: '1' })).toMatchObject(rule);
  const [, { id: stepId } = { id: '' }] = await one.history(id);
  await one.request('POST', `/v1/sessions/${id}/steps/${stepId}/interrupt`);
  expect(await running).toMatchObject({ status: 'interrupted' });
  expect(await patch(two, id, policy)).toMatchObject({ status: 200, body: { network: 'none', epoch: 2 } });
  expect(agent).not.toBe(await agentOf(one, id));
}, 60_000);

test('a step that ran before the policy forbade it is answered to a repeat of its request', async () => {
  const { id } = await one.createSession();
  const key = { 'Idempotency-Key': 'a' };
  const first = await one.runStep(id, { code: 'echo a', language: 'bash' }, key);
  await patch(one, id, withoutShell);
  expect(await two.runStep(id, { code: 'echo a', language: 'bash' }, key)).toMatchObject({
    id: first.id,
    stdout: 'a\n',
  });
});
