import { newId } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AgentUnderTest, startAgent } from '../support/start-agent.ts';
import { until } from '../support/until.ts';

let agent: AgentUnderTest;
beforeAll(async () => {
  agent = await startAgent();
  await agent.call('PUT', '/v1/session', { language: 'python', env: {} });
});
afterAll(() => agent[Symbol.asyncDispose]());

const hold = (seconds: number) => agent.call('POST', '/v1/hold', { seconds });

const sendStep = () =>
  agent.call('POST', '/v1/steps', {
    stepId: newId('stp'),
    contextId: 'python',
    language: 'python',
    code: '1',
    timeoutMs: 20_000,
    queue: 'wait',
  });

const sendJob = () =>
  agent.call('POST', '/v1/jobs', {
    jobId: newId('job'),
    language: 'python',
    filename: 'a.py',
    args: [],
    stdin: '',
    timeoutMs: 20_000,
  });

const refused = { status: 409, body: { code: 'session-paused' } };

test('while held, neither a step nor a job starts', async () => {
  expect((await hold(60)).status).toBe(204);
  expect(await sendStep()).toMatchObject(refused);
  expect(await sendJob()).toMatchObject(refused);
  expect((await agent.call('DELETE', '/v1/hold')).status).toBe(204);
  expect((await agent.run({ code: '1 + 1' })).value).toBe('2');
});

test('while held, a context is neither restarted nor given another state, because it is being saved', async () => {
  await hold(60);
  expect(await agent.call('POST', '/v1/contexts/python/restart')).toMatchObject(refused);
  const recovery = { language: 'python', env: {}, hasArchive: false, steps: [], timeoutMs: 20_000 };
  expect(await agent.call('POST', '/v1/contexts/python/recover', recovery)).toMatchObject(refused);
  await agent.call('DELETE', '/v1/hold');
  expect(await agent.call('POST', '/v1/contexts/python/restart')).toMatchObject({ status: 200 });
});

test('a release that names an earlier hold has no effect', async () => {
  await agent.call('POST', '/v1/hold?by=first', { seconds: 60 });
  await agent.call('POST', '/v1/hold?by=second', { seconds: 60 });
  await agent.call('DELETE', '/v1/hold?by=first');
  expect(await sendStep()).toMatchObject(refused);
  await agent.call('DELETE', '/v1/hold?by=second');
  expect((await agent.run({ code: '1 + 1' })).value).toBe('2');
});

test('a hold ends by itself', async () => {
  await hold(1);
  expect(await sendStep()).toMatchObject(refused);
  await until('the end of the hold', async () => (await sendJob()).status === 404);
  expect((await agent.run({ code: '1 + 1' })).value).toBe('2');
});

test('a session with a running step cannot be held', async () => {
  const running = agent.run({ code: 'import time; time.sleep(1); 3' });
  await until(
    'the step to run',
    async () => (await agent.call('GET', '/v1/contexts')).body.contexts[0].state === 'busy',
  );
  expect(await hold(60)).toMatchObject({ status: 409, body: { code: 'context-busy' } });
  expect((await running).value).toBe('3');
});
