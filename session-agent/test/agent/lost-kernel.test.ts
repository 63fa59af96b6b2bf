import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type AgentUnderTest, startAgent } from '../support/start-agent.ts';
import { manifestOf } from '../support/state.ts';
import { until } from '../support/until.ts';

let agent: AgentUnderTest;
let tmp: string;
beforeEach(async () => {
  tmp = mkdtempSync(join(tmpdir(), 'holdfast-state-test-'));
  agent = await startAgent({ TMPDIR: tmp });
  await agent.call('PUT', '/v1/session', { language: 'python', env: {}, keepsState: true });
});
afterEach(async () => {
  await agent[Symbol.asyncDispose]();
  rmSync(tmp, { recursive: true, force: true });
});

const limits = { bytesMax: 2 ** 30, timeoutMs: 20_000 };

const put = (language: string, archive: Buffer<ArrayBuffer>) =>
  fetch(`${agent.url}/v1/contexts/${language}/archive`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${agent.token}`, 'content-type': 'application/octet-stream' },
    body: archive,
  });

const recover = (language: string) =>
  agent.call('POST', `/v1/contexts/${language}/recover`, {
    language,
    env: {},
    hasArchive: true,
    steps: [],
    timeoutMs: 20_000,
  });

const program = {
  python: { set: 'import os\nx = [1]\nprint(os.getpid())', show: 'print(x)', shown: '[1]' },
  node: { set: 'var x = [1]; console.log(process.pid)', show: 'console.log(x)', shown: '[ 1 ]' },
  bash: { set: 'x=1; echo $BASHPID', show: 'echo $x', shown: '1' },
} as const;
const languages = Object.keys(program) as (keyof typeof program)[];

/** Kills the kernel of a context that has `x`, and waits until the agent knows it. */
async function loseKernel(
  language: keyof typeof program,
  { under = agent, set = program[language].set as string } = {},
) {
  const { stdout } = await under.run({ contextId: language, language, code: set });
  process.kill(Number(stdout.trim()), 'SIGKILL');
  const state = async () =>
    (await under.call('GET', '/v1/contexts')).body.contexts.find(
      ({ contextId }: { contextId: string }) => contextId === language,
    ).state;
  await until('the agent to see it', async () => (await state()) === 'dead');
}

const snapshotOf = (language: string, { under = agent, to = 'recovery' } = {}) =>
  under.send('POST', `/v1/contexts/${language}/snapshot?for=${to}`, limits);

test.each(languages.flatMap((language) => ['fork', 'recovery'].map((to) => [language, to] as const)))(
  'a snapshot of %s for a %s that comes after the death of the kernel has its state',
  async (language, to) => {
    await loseKernel(language);
    const response = await snapshotOf(language, { to });
    expect(response.status).toBe(200);
    const { saved: names, notSaved } = manifestOf(Buffer.from(await response.arrayBuffer()));
    expect([names.map(({ name }) => name), notSaved]).toEqual([expect.arrayContaining(['x']), []]);
    const step = await agent.run({ contextId: language, language, code: program[language].show });
    expect(step.stdout.trim()).toBe(program[language].shown);
  },
);

test.each([
  ['python', 'import os, socket\nx = 1\ns = socket.socket()\nprint(os.getpid())', 's'],
  ['node', 'var x = 1; var w = Math.random(); console.log(process.pid)', 'w'],
  ['bash', 'x=1; s=$(date +%N); echo $BASHPID', 's'],
] as const)(
  'a name that was lost with a kernel of %s is in the next snapshot, and in the report of its recovery',
  async (language, set, name) => {
    await loseKernel(language, { set });
    const response = await snapshotOf(language, { to: 'fork' });
    const archive = Buffer.from(await response.arrayBuffer());
    const lost = expect.arrayContaining([expect.objectContaining({ name })]);
    expect(manifestOf(archive)).toMatchObject({ notSaved: lost });
    expect((await put(language, archive)).status).toBe(204);
    const { body } = await recover(language);
    expect(body).toMatchObject({ lost });
    // The session may have recovered by itself, so only a step tells it.
    const again = await snapshotOf(language, { to: 'fork' });
    expect(manifestOf(Buffer.from(await again.arrayBuffer()))).toMatchObject({ notSaved: lost });
    await agent.run({ contextId: language, language, code: '' });
    const next = await snapshotOf(language, { to: 'fork' });
    if (language === 'bash') expect(manifestOf(Buffer.from(await next.arrayBuffer())).notSaved).toEqual([]);
  },
);

test('a state that was lost with its kernel for good is refused, and one that was dropped on request is not there', async () => {
  await using under = await startAgent({ TMPDIR: tmp });
  await under.call('PUT', '/v1/session', { language: 'python', env: {} });
  await loseKernel('python', { under });
  for (const to of ['fork', 'recovery']) {
    const response = await snapshotOf('python', { under, to });
    expect([response.status, await response.json()]).toMatchObject([422, { code: 'snapshot-refused' }]);
  }
  await under.call('POST', '/v1/contexts/python/restart');
  expect((await snapshotOf('python', { under, to: 'fork' })).status).toBe(204);
});

test('a snapshot waits for a kernel that gets its state back', async () => {
  await agent.run({ code: 'import time; time.sleep(1); x = [1]', replay: true });
  await agent.run({ code: 'import os; os.kill(os.getpid(), 9)' });
  const response = await snapshotOf('python', { to: 'fork' });
  expect(response.status).toBe(200);
  const { saved: names } = manifestOf(Buffer.from(await response.arrayBuffer()));
  expect(names).toContainEqual({ name: 'x', kind: 'variable' });
});

test('a state that replaces the one of a kernel that has just died is not mixed with it', async () => {
  await agent.run({ code: 'x = 1' });
  const archive = Buffer.from(await (await snapshotOf('python')).arrayBuffer());
  await loseKernel('python', { set: 'import os\nextra = 1\nprint(os.getpid())' });
  await put('python', archive);
  expect(await recover('python')).toMatchObject({ status: 200 });
  expect((await agent.run({ code: 'x, "extra" in globals()' })).value).toBe('(1, False)');
});

test.each([
  ['a silent step', { code: 'x.append(2)\ndef f(): return 1', silent: true }],
  ['an expression', { code: 'y = 2', expressions: { changed: 'x.append(2)' } }],
])('the next kernel has no value that %s may have changed, and runs none of it', async (_, step) => {
  await agent.run({ contextId: 'python', language: 'python', code: 'import os\nx = [1]\nkept = [1]' });
  expect((await snapshotOf('python')).status).toBe(200);
  await agent.run({ contextId: 'python', language: 'python', ...step });
  await loseKernel('python', { set: 'print(os.getpid())' });
  const code = 'print(kept, "x" in globals(), "f" in globals())';
  expect((await agent.run({ contextId: 'python', language: 'python', code })).stdout).toBe('[1] False False\n');
});
