import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { newId } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { all, readTo, report } from '../support/agent-client.ts';
import { type AgentUnderTest, startAgent } from '../support/start-agent.ts';
import { until } from '../support/until.ts';

let agent: AgentUnderTest;
beforeAll(async () => {
  agent = await startAgent();
  const bind = { language: 'python', env: { COLOUR: 'red', SIZE: '1' } };
  expect(await agent.call('PUT', '/v1/session', bind)).toMatchObject({
    status: 200,
    body: { sessionId: agent.sessionId },
  });
  expect((await agent.call('PUT', '/v1/session', bind)).status).toBe(200);
});
afterAll(() => agent[Symbol.asyncDispose]());

const create = (body: object, contextId = newId('ctx')) =>
  agent.call('POST', '/v1/contexts', { contextId, language: 'python', ...body });

async function status(contextId: string) {
  const { body } = await agent.call('GET', '/v1/contexts');
  return body.contexts.find((context: { contextId: string }) => context.contextId === contextId);
}

test('starts the default context with the session, before any step', async () => {
  await until('the kernel to be ready', async () => (await status('python'))?.state === 'idle');
  expect(await status('python')).toEqual({
    contextId: 'python',
    language: 'python',
    contextEpoch: 1,
    state: 'idle',
    cwd: '.',
  });
});

test('reports a context as starting until its first kernel is ready', async () => {
  expect((await create({})).body.state).toBe('starting');
});

test('isolates the names of two contexts, and gives each its own directory and variables', async () => {
  mkdirSync(join(agent.workspace, 'sub'));
  const { status, body } = await create({ cwd: 'sub', env: { SIZE: '2' } });
  expect([status, body.cwd]).toEqual([201, 'sub']);
  await agent.run({ code: 'here = 1' });
  const code = 'import os; ("here" in globals(), os.getcwd(), os.environ["COLOUR"], os.environ["SIZE"])';
  expect((await agent.run({ code, contextId: body.contextId })).value).toBe(
    `(False, '${agent.workspace}/sub', 'red', '2')`,
  );
  expect((await agent.run({ code })).value).toBe(`(True, '${agent.workspace}', 'red', '1')`);
});

test.for(['..', '/', '../../etc', 'link', 'missing'])('rejects a directory outside the workspace: %s', async (cwd) => {
  if (cwd === 'link') symlinkSync('/', join(agent.workspace, 'link'));
  const { status, body } = await create({ cwd });
  expect([status, body.errors[0].pointer]).toEqual([400, '/cwd']);
});

test('creates a context once for two requests, and rejects another language', async () => {
  const { body } = await create({});
  expect(await create({}, body.contextId)).toMatchObject({ status: 201, body: { contextId: body.contextId } });
  expect(await create({ language: 'node' }, body.contextId)).toMatchObject({ status: 400 });
  expect(await create({ language: 'node' }, 'python')).toMatchObject({ status: 400 });
});

test('allows at most 64 contexts in a session', async () => {
  const before = (await agent.call('GET', '/v1/contexts')).body.contexts.length;
  await using small = await startAgent({ HOLDFAST_PYTHON: '/bin/false' });
  const answers = [];
  for (let index = 0; index < 65; index++) {
    answers.push(await small.call('POST', '/v1/contexts', { contextId: newId('ctx'), language: 'python' }));
  }
  expect(answers.map((answer) => answer.status)).toEqual([...Array(64).fill(201), 429]);
  expect((await agent.call('GET', '/v1/contexts')).body.contexts).toHaveLength(before);
});

test('fails the step with the reason if its kernel cannot start', async () => {
  await using broken = await startAgent({ HOLDFAST_PYTHON: '/bin/false' });
  const { done, frames } = await broken.run({ code: '1' });
  expect(done).toMatchObject({ status: 'failed', cause: { code: 'kernel_exited' }, executionCount: 0 });
  expect(frames.map(({ type }) => type)).toEqual(['queued', 'error', 'done']);
});

test('fails the step with a plain sentence if the interpreter is missing', async () => {
  await using broken = await startAgent({ HOLDFAST_PYTHON: '/nope/python' });
  const { done } = await broken.run({ code: '1' });
  expect(done.cause?.message).toMatch(/^The interpreter \/nope\/python cannot be started in \/.*\.$/);
  expect((await broken.run({ code: '1', contextId: 'node' })).value).toBe('1');
});

test('ends the running step on a restart, and runs the queued ones without the old memory', async () => {
  const { contextId } = (await create({})).body;
  await agent.run({ contextId, code: 'y = 1' });
  const running = await agent.open({ contextId, code: 'import time; time.sleep(30)' });
  await running.frames.next();
  const queued = await agent.open({ contextId, code: '"y" in globals()' });
  const restarted = await agent.call('POST', `/v1/contexts/${contextId}/restart`);
  expect(restarted).toMatchObject({ status: 200, body: { contextEpoch: 2 } });
  const ended = report(running.stepId, await all(running.frames));
  expect(ended.done).toMatchObject({
    status: 'interrupted',
    cause: { code: 'context_restarted' },
    contextEpoch: 1,
    stateSurvived: false,
  });
  expect(ended.frames.at(-2)).toMatchObject({ type: 'state_reset', json: { contextEpoch: 2, lost: ['*'] } });
  const next = report(queued.stepId, await all(queued.frames));
  expect([next.value, next.done.contextEpoch, next.done.executionCount]).toEqual(['False', 2, 1]);
});

test('ends the steps of a deleted context and accepts no more', async () => {
  const { contextId } = (await create({})).body;
  const running = await agent.open({ contextId, code: 'import time; time.sleep(30)' });
  await readTo(running.frames, 'started');
  const queued = await agent.open({ contextId, code: '1' });
  expect((await agent.call('DELETE', `/v1/contexts/${contextId}`)).status).toBe(204);
  expect((await agent.call('DELETE', `/v1/contexts/${contextId}`)).status).toBe(204);
  for (const { stepId, frames } of [running, queued]) {
    const { done } = report(stepId, await all(frames));
    expect(done).toMatchObject({ status: 'interrupted', cause: { code: 'context_deleted' } });
  }
  const late = { stepId: newId('stp'), contextId, code: '1', timeoutMs: 1000, queue: 'wait' };
  expect(await agent.call('POST', '/v1/steps', late)).toMatchObject({ status: 410, body: { code: 'context-deleted' } });
});

test('ends a step within a second if its kernel dies, and reports the loss once', async () => {
  const { contextId } = (await create({})).body;
  await agent.run({ contextId, code: 'z = 1' });
  const startedAt = performance.now();
  const { done, frames } = await agent.run({ contextId, code: 'import os; os._exit(3)' });
  expect(performance.now() - startedAt).toBeLessThan(1000);
  expect(done).toMatchObject({ status: 'failed', stateSurvived: false, cause: { code: 'kernel_exited', exitCode: 3 } });
  expect(frames.map(({ type }) => type)).toEqual(['started', 'state_reset', 'done']);
  const next = await agent.run({ contextId, code: '"z" in globals()' });
  expect(next.value).toBe('False');
  expect(next.frames.map(({ type }) => type)).not.toContain('state_reset');
});

test('replaces a kernel that dies between steps, and the next step reports the lost memory', async () => {
  const { contextId } = (await create({})).body;
  const { value } = await agent.run({ contextId, code: 'w = 1; import os; os.getpid()' });
  process.kill(Number(value), 'SIGKILL');
  await until('the agent to see it', async () => (await status(contextId)).state === 'dead');
  const { frames, done } = await agent.run({ contextId, code: '1' });
  expect(frames.map(({ type }) => type)).toEqual(['queued', 'started', 'state_reset', 'result', 'done']);
  expect(done).toMatchObject({ status: 'succeeded', contextEpoch: 2, executionCount: 1 });
});

test('kills the kernel after the grace period if its code ignores the interrupt', async () => {
  const { contextId } = (await create({})).body;
  const code = 'import signal, time\nsignal.pthread_sigmask(signal.SIG_BLOCK, [2])\nwhile True: time.sleep(1)';
  const { done, frames } = await agent.run({ contextId, code, timeoutMs: 300 });
  expect(done).toMatchObject({ status: 'timed_out', stateSurvived: false, cause: { code: 'timeout' } });
  expect(frames.at(-2)?.type).toBe('state_reset');
  expect((await agent.run({ contextId, code: '1 + 1' })).done).toMatchObject({ status: 'succeeded', contextEpoch: 2 });
});

test('lists the symbols of an idle kernel, and stale ones while it is busy', async () => {
  const { contextId } = (await create({})).body;
  await agent.run({ contextId, code: 'answer = 42' });
  const symbols = async () => (await agent.call('GET', `/v1/contexts/${contextId}/symbols`)).body;
  const names = (report: { symbols: { name: string }[] }) => report.symbols.map(({ name }) => name);
  expect(names(await symbols())).toEqual(['answer']);
  const running = await agent.open({ contextId, code: 'more = 1; import time; time.sleep(30)' });
  await readTo(running.frames, 'started');
  const [busy, also] = await Promise.all([symbols(), symbols()]);
  expect([busy.stale, names(busy), also.stale]).toEqual([true, ['answer'], true]);
  await agent.call('POST', `/v1/contexts/${contextId}/restart`);
  expect(await symbols()).toMatchObject({ contextEpoch: 2, symbols: [] });
});

test('never adds background output to another step', async () => {
  const { contextId } = (await create({})).body;
  const code = 'import subprocess; late = subprocess.Popen("sleep 0.1; echo late; touch late", shell=True); 0';
  await agent.run({ contextId, code });
  await until('the late output', () => existsSync(join(agent.workspace, 'late')));
  expect((await agent.run({ contextId, code: '1' })).stdout).toBe('');
});

test('counts the kernels of every context from the number that it is given, so that no number of an earlier sandbox comes again', async () => {
  await using next = await startAgent();
  const bind = { language: 'python', env: {}, firstContextEpoch: 5 };
  expect((await next.call('PUT', '/v1/session', bind)).status).toBe(200);
  const created = await next.call('POST', '/v1/contexts', { contextId: newId('ctx'), language: 'python' });
  expect(created.body.contextEpoch).toBe(5);
  expect((await next.call('POST', '/v1/contexts/python/restart')).body.contextEpoch).toBe(6);
});

test.for([
  ['python', 'kept = 1', 'while True: pass', 'print(kept)'],
  ['node', 'var kept = 1', 'await new Promise(() => {})', 'console.log(kept)'],
  ['node', 'var kept = 1', 'for (;;);', 'console.log(kept)'],
  ['bash', 'kept=1', 'while :; do :; done', 'echo $kept'],
  ['bash', 'kept=1', 'sleep 100', 'echo $kept'],
] as const)(
  '%s: keeps the state of code that takes too long again and again: %s; %s',
  async ([language, define, silent, print]) => {
    const { body } = await create({ language });
    const { contextId } = body;
    const run = (code: string, timeoutMs = 10_000) => agent.run({ contextId, code, timeoutMs });
    await run(define);
    for (let count = 0; count < 3; count++) {
      expect((await run(silent, 500)).done).toMatchObject({ status: 'timed_out', stateSurvived: true });
    }
    expect(await run(print)).toMatchObject({ stdout: '1\n', done: { executionCount: 5, contextEpoch: 1 } });
  },
);
