import { newId } from '@holdfast/specs/public';
import { expect, test } from 'vitest';
import { installScriptedKernel } from '../support/scripted-kernelspec.ts';
import { startAgent } from '../support/start-agent.ts';

test('a context of a Jupyter kernel runs steps, and says what its kernel cannot do', async () => {
  using installed = installScriptedKernel();
  await using agent = await startAgent({ JUPYTER_PATH: installed.jupyterPath.join(':') });
  await agent.call('PUT', '/v1/session', { language: 'python', env: {} });
  const { body } = await agent.call('GET', '/v1/languages');
  expect(body.languages).toEqual(expect.arrayContaining(['python', 'node', 'bash', 'scripted', 'script']));

  const code = "await publish('execute_result', { data: { 'text/plain': '42' }, metadata: {} })";
  expect(await agent.run({ code, contextId: 'scripted', language: 'scripted' })).toMatchObject({
    value: '42',
    done: { status: 'succeeded' },
  });
  const symbols = await agent.call('GET', '/v1/contexts/scripted/symbols');
  expect(symbols.body).toMatchObject({ stale: false, symbols: [] });

  const step = { stepId: newId('stp'), contextId: 'scripted', code: '', timeoutMs: 1000, queue: 'wait' };
  const refused = await agent.call('POST', '/v1/steps', { ...step, env: { A: '1' } });
  expect([refused.status, refused.body.code, refused.body.errors[0].pointer]).toEqual([
    422,
    'unsupported-by-runtime',
    '/env',
  ]);
});

test('refuses a context of a language that the sandbox does not have, and names those that it has', async () => {
  await using agent = await startAgent();
  await agent.call('PUT', '/v1/session', { language: 'python', env: {} });
  const { status, body } = await agent.call('POST', '/v1/contexts', { contextId: newId('ctx'), language: 'no-such' });
  expect([status, body.code, body.errors[0].pointer]).toEqual([422, 'unsupported-by-runtime', '/language']);
  expect(body.detail).toMatch(/the sandbox has python, node, .*, not no-such/);
  expect((await agent.call('GET', '/v1/contexts')).body.contexts).toHaveLength(1);
});

test('a restart replaces a Jupyter kernel, and a step that outlives its time is interrupted', async () => {
  using installed = installScriptedKernel();
  await using agent = await startAgent({ JUPYTER_PATH: installed.jupyterPath.join(':') });
  await agent.call('PUT', '/v1/session', { language: 'python', env: {} });
  const at = { contextId: 'scripted', language: 'scripted' };
  await agent.run({ ...at, code: 'kept.value = 1' });
  const code = "await untilInterrupted(); return { status: 'abort' }";
  const { done } = await agent.run({ ...at, code, timeoutMs: 500 });
  expect(done).toMatchObject({ status: 'timed_out', stateSurvived: true });
  const show = "await publish('execute_result', { data: { 'text/plain': String(kept.value) }, metadata: {} })";
  expect((await agent.run({ ...at, code: show })).value).toBe('1');
  expect((await agent.call('POST', '/v1/contexts/scripted/restart', {})).body).toMatchObject({ contextEpoch: 2 });
  expect((await agent.run({ ...at, code: show })).value).toBe('undefined');
});
