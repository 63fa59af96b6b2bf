import { newId } from '@holdfast/specs/public';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { all, readTo } from '../support/agent-client.ts';
import { type AgentUnderTest, startAgent } from '../support/start-agent.ts';

let agent: AgentUnderTest;
beforeAll(async () => {
  agent = await startAgent();
  await agent.run({ code: 'wonderful = 1' });
  await agent.run({ contextId: 'node', code: 'const wonderful = 1' });
});
afterAll(() => agent[Symbol.asyncDispose]());

const ask = (contextId: string, what: 'complete' | 'inspect', code: string, cursor = code.length) =>
  agent.call('POST', `/v1/contexts/${contextId}/${what}`, { code, cursor });

describe.for(['python', 'node'])('in %s', (contextId) => {
  test('completes a name, with offsets in UTF-16 code units', async () => {
    const code = '"😀" + wonder + 1';
    const { status, body } = await ask(contextId, 'complete', code, '"😀" + wonder'.length);
    expect(status).toBe(200);
    expect(body.matches.map(({ text }: { text: string }) => text)).toContain('wonderful');
    expect(code.slice(body.start, body.end)).toBe('wonder');
  });

  test('inspects a name', async () => {
    const { body } = await ask(contextId, 'inspect', 'wonderful');
    expect(body.found).toBe(true);
    expect(body.data['text/plain']).toContain('1');
    expect((await ask(contextId, 'inspect', 'nobody_has_this')).body).toEqual({ found: false, data: {} });
  });
});

test('answers for a new context once its kernel is ready', async () => {
  const contextId = newId('ctx');
  await agent.call('POST', '/v1/contexts', { contextId, language: 'python' });
  const { status, body } = await ask(contextId, 'complete', 'prin');
  expect([status, body.matches.some(({ text }: { text: string }) => text.startsWith('print'))]).toEqual([200, true]);
});

test('rejects a question while the context runs a step', async () => {
  const { stepId, frames } = await agent.open({ code: 'import time; time.sleep(30)' });
  await readTo(frames, 'started');
  expect(await ask('python', 'complete', 'x')).toMatchObject({ status: 409, body: { code: 'context-busy' } });
  expect((await ask('python', 'inspect', 'x')).status).toBe(409);
  await agent.call('POST', `/v1/steps/${stepId}/interrupt`);
  await all(frames);
});

test('rejects a cursor outside the code and an unknown context', async () => {
  expect((await ask('python', 'complete', 'x', 2)).status).toBe(400);
  expect((await ask(newId('ctx'), 'complete', 'x')).status).toBe(404);
});
