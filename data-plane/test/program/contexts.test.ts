import { afterAll, beforeAll, expect, test } from 'vitest';
import { findLanguages } from '../../src/runtimes/process/find-languages.ts';
import { eventually } from '../support/eventually.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import type { Holdfast } from '../support/start-holdfast.ts';

let installation: Installation;
let holdfast: Holdfast;
let sessionId: string;

beforeAll(async () => {
  installation = await createInstallation();
  holdfast = await installation.start();
  sessionId = (await holdfast.createSession()).id;
});

afterAll(() => installation[Symbol.asyncDispose]());

const session = (rest: string) => `/v1/sessions/${sessionId}${rest}`;
const run = (code: string, more = {}) => holdfast.runStep(sessionId, { code, ...more });

test("limits a step's variables to that step, even if it fails", async () => {
  const code = 'import os; print(os.environ.get("OF_STEP")); 1 / int(os.environ.get("DIVISOR", "1"))';
  const env = { OF_STEP: 'mine', DIVISOR: '0' };
  expect(await run(code, { env })).toMatchObject({ stdout: 'mine\n', error: { name: 'ZeroDivisionError' } });
  expect(await run(code)).toMatchObject({ stdout: 'None\n', status: 'succeeded' });
});

test("answers an editor's questions from the state of the context", async () => {
  await run('def greet(name):\n    "Greets somebody."\n    return f"hello {name}"');
  const code = 'x = "😀"; gre';
  const asked = { code, cursor: code.length };
  const { status, body } = await holdfast.request('POST', session('/contexts/python/complete'), asked);
  expect([status, body.start, body.end]).toEqual([200, code.length - 3, code.length]);
  expect(body.matches.map(({ text }: { text: string }) => text)).toContain('greet');
  const inspected = await holdfast.request('POST', session('/contexts/python/inspect'), asked);
  expect(inspected.body.found).toBe(false);
  const whole = { code: 'greet', cursor: 3 };
  const found = await holdfast.request('POST', session('/contexts/python/inspect'), whole);
  expect(found.body).toMatchObject({
    found: true,
    data: { 'text/plain': expect.stringContaining('Greets somebody.') },
  });
});

test("rejects an editor's question while the context runs a step, and for an unknown context", async () => {
  const step = await run('input()', { stdin: true });
  for (const verb of ['complete', 'inspect']) {
    const busy = await holdfast.request('POST', session(`/contexts/python/${verb}`), { code: 'a', cursor: 1 });
    expect([busy.status, busy.body.code]).toEqual([409, 'context-busy']);
    const unknown = session(`/contexts/ctx_01kaf3z7hj8k9m0n1p2q3r4s5t/${verb}`);
    expect((await holdfast.request('POST', unknown, { code: 'a', cursor: 1 })).status).toBe(404);
  }
  await holdfast.request('POST', session(`/steps/${step.id}/stdin`), { text: null });
  await holdfast.request('GET', session(`/steps/${step.id}?waitSeconds=30`));
});

test("a session's context groups the code by context, in the order of each kernel and since its last reset", async () => {
  const { id } = await holdfast.createSession();
  const made = await holdfast.request('POST', `/v1/sessions/${id}/contexts`, { language: 'python' });
  const node = { language: 'node' } as const;
  const second = { contextId: made.body.id as string };
  await holdfast.runStep(id, { code: 'lost = 1' });
  await holdfast.request('POST', `/v1/sessions/${id}/contexts/python/restart`);
  const codes = [
    { code: 'a = 1' },
    { code: 'let n = 1', ...node },
    { code: 'b = 1', ...second },
    { code: 'a += 1' },
    { code: 'n++', ...node },
    { code: 'b += 1', ...second },
  ];
  for (const step of codes) expect(await holdfast.runStep(id, step)).toMatchObject({ status: 'succeeded' });
  const { body } = await holdfast.request('GET', `/v1/sessions/${id}/context`);
  expect(body.contexts).toEqual([
    { contextId: 'node', language: 'node', listsSymbols: true, combinedCode: 'let n = 1\n\nn++' },
    { contextId: 'python', language: 'python', listsSymbols: true, combinedCode: 'a = 1\n\na += 1' },
    { ...second, language: 'python', listsSymbols: true, combinedCode: 'b = 1\n\nb += 1' },
  ]);
  const symbols = body.symbols.map(({ name, contextId }: Record<string, string>) => `${contextId} ${name}`);
  expect(symbols).toEqual(expect.arrayContaining(['node n', 'python a', `${second.contextId} b`]));
  expect(symbols).not.toContain('python lost');
});

test('gives late output of a child process as background output of the context, never of a step', async () => {
  const started = await run('import subprocess; p = subprocess.Popen("sleep 0.3; echo late", shell=True)');
  expect(started).toMatchObject({ status: 'succeeded', stdout: '' });
  expect(await run('p.wait()')).toMatchObject({ stdout: '' });
  await eventually(async () => {
    const { body } = await holdfast.request('GET', session('/contexts/python/background'));
    expect(body.items).toMatchObject([{ stream: 'stdout', text: 'late\n', stepId: started.id }]);
    expect(body.droppedBytes).toBe(0);
    const after = await holdfast.request('GET', session(`/contexts/python/background?after=${body.items[0].seq}`));
    expect(after.body.items).toEqual([]);
  });
});

test('returns the whole of an output that the step shows by its head and tail', async () => {
  const lines = 2_000_000;
  const step = await run(`for i in range(${lines}): print(i)`);
  expect(step).toMatchObject({ status: 'succeeded', truncated: true });
  const response = await fetch(holdfast.url + session(`/steps/${step.id}/output/stdout`));
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/octet-stream']);
  expect(response.headers.get('holdfast-output')).toBe('whole');
  const whole = await response.text();
  expect(whole).toBe(Array.from({ length: lines }, (_, i) => `${i}\n`).join(''));
  expect((await holdfast.request('GET', session(`/steps/${step.id}/output/stderr`))).status).toBe(404);
});

test('a context has the limits it was created with', async () => {
  const wish = { language: 'python', limits: { memoryMb: 400 } };
  const { body: context } = await holdfast.request('POST', session('/contexts'), wish);
  const code = 'import resource; resource.getrlimit(resource.RLIMIT_DATA)[0] >> 20';
  const limited = await run(code, { contextId: context.id });
  expect(limited.results[0]?.data['text/plain']).toBe('400');
});

const { PATH: path = '', HOME: home = '' } = process.env;
const found = await findLanguages({ hasPython: true, path, home });

const programs = [
  ['bash', 'x=41', 'echo $((x + 1))'],
  ['ruby', 'x = 41', 'puts x + 1'],
] as const;
const isFound = ([language]: (typeof programs)[number]) => found.includes(language);

test.each(programs.filter((program) => !isFound(program)))(
  'a session of %s is refused without it',
  async (language) => {
    const refused = await holdfast.request('POST', '/v1/sessions', { language });
    expect([refused.status, refused.body.code]).toEqual([422, 'unsupported-by-runtime']);
  },
);

test.each(programs.filter(isFound))(
  'a session of %s keeps its state from step to step',
  async (language, define, use) => {
    const made = await holdfast.createSession({ language });
    expect((await holdfast.runStep(made.id, { code: define })).contextId).toBe(language);
    expect(await holdfast.runStep(made.id, { code: use })).toMatchObject({ status: 'succeeded', stdout: '42\n' });
    await holdfast.request('DELETE', `/v1/sessions/${made.id}`);
  },
);
