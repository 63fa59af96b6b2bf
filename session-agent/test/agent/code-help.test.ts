import { newId } from '@holdfast/specs/public';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { all, readTo } from '../support/agent-client.ts';
import { type AgentUnderTest, startAgent } from '../support/start-agent.ts';

let agent: AgentUnderTest;
beforeAll(async () => {
  agent = await startAgent();
  await agent.run({ code: 'wonderful = 1' });
  await agent.run({ contextId: 'node', code: 'const wonderful = 1' });
  for (const contextId of ['bash', 'ruby']) await agent.run({ contextId, code: '' });
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

const parsed = async (contextId: string, code: string) => {
  const { status, body } = await agent.call('POST', `/v1/contexts/${contextId}/parse`, { code });
  expect(status).toBe(200);
  return body;
};

test.for([
  ['python', 'x = 1', 'complete'],
  ['python', '', 'complete'],
  ['python', 'await f()', 'complete'],
  ['python', 'for x in y:', 'incomplete', '    '],
  ['python', 'if a:\n  b(', 'incomplete'],
  ['python', 'text = "abc \\', 'incomplete'],
  ['python', 'x = = 1', 'invalid'],
  ['python', '%time f()', 'complete'],
  ['python', 'def f():\n    return 1\n', 'complete'],
  ['node', 'const x: number = 1', 'complete'],
  ['node', 'await f()', 'complete'],
  ['node', 'if (a) {', 'incomplete', '  '],
  ['node', 'function f(x: number) {\n  return', 'incomplete', '  '],
  ['node', 'const a: number =', 'incomplete', ''],
  ['node', 'f(1,', 'incomplete'],
  ['node', '`text', 'incomplete'],
  ['node', 'let a: Array<', 'incomplete'],
  ['node', '{a: 1}', 'complete'],
  ['node', 'x = }', 'invalid'],
  ['node', 'let x: number = }', 'invalid'],
  ['node', '"text', 'invalid'],
  ['bash', 'echo a', 'complete'],
  ['bash', 'if true; then', 'incomplete'],
  ['bash', 'echo "abc', 'incomplete'],
  ['bash', 'cat <<END\nx', 'incomplete'],
  ['bash', 'echo a \\', 'incomplete'],
  ['bash', 'echo a \\\\', 'complete'],
  ['bash', 'touch parsed-and-run', 'complete'],
  ['bash', 'fi', 'invalid'],
  ['ruby', 'x = 1', 'complete'],
  ['ruby', 'def f', 'incomplete'],
  ['ruby', 'x = "abc', 'incomplete'],
  ['ruby', 'end', 'invalid'],
] as const)('in %s, %j is %s', async ([contextId, code, status, indent]) => {
  expect(await parsed(contextId, code)).toMatchObject({ status, ...(indent !== undefined && { indent }) });
});

test('parsing runs nothing, and an answer comes also for code that no parser can take', async () => {
  await parsed('bash', 'touch parsed-and-run; true');
  await parsed('python', 'open("parsed-and-run", "w")');
  const listed = await agent.run({ contextId: 'bash', code: 'ls parsed-and-run 2>/dev/null | wc -l' });
  expect(listed.stdout.trim()).toBe('0');
  for (const contextId of ['python', 'node', 'ruby']) {
    const { status } = await parsed(contextId, '('.repeat(100_000));
    expect(['incomplete', 'invalid', 'unknown']).toContain(status);
  }
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
