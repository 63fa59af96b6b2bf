import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newId } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AgentUnderTest, startAgent } from '../support/start-agent.ts';
import { all, jsonOf, processClient, readTo, report } from './support/process-client.ts';

let agent: AgentUnderTest;
let processes: ReturnType<typeof processClient>;
beforeAll(async () => {
  agent = await startAgent({ HOLDFAST_AGENT_PYTHON_PRELOAD: 'none' });
  await agent.call('PUT', '/v1/session', {
    language: 'bash',
    env: { SHARED: 'session', OWN: 'session' },
    prestart: false,
  });
  processes = processClient(agent);
});
afterAll(() => agent[Symbol.asyncDispose]());

test('runs a program with its arguments as they are', async () => {
  const { stdout, stderr, done, frames } = await processes.run({
    command: ['printf', '%s|', 'a b', '$HOME', "'", 'é'],
  });
  expect({ stdout, stderr }).toEqual({ stdout: "a b|$HOME|'|é|", stderr: '' });
  expect(done).toMatchObject({ status: 'exited', exitCode: 0, signal: null, cause: null, outputIncomplete: false });
  expect(done).toMatchObject({ stdoutBytes: Buffer.byteLength(stdout), stderrBytes: 0 });
  expect(frames[0]).toMatchObject({ type: 'started', position: 1 });
  expect(frames.at(-1)?.position).toBe(1 + Buffer.byteLength(stdout) + 1);
});

test('runs a text in a shell that is not a login shell', async () => {
  const { stdout, stderr, done } = await processes.run({
    command: 'shopt -q login_shell || echo plain; echo err >&2; exit 7',
  });
  expect({ stdout, stderr }).toEqual({ stdout: 'plain\n', stderr: 'err\n' });
  expect(done).toMatchObject({ status: 'exited', exitCode: 7 });
});

test("has the session's variables and its own", async () => {
  const { stdout } = await processes.run({ command: 'echo $SHARED $OWN $TERM', env: { OWN: 'process' } });
  expect(stdout).toBe('session process dumb\n');
});

test.for([
  ['the workspace', undefined, ''],
  ['a directory of the workspace', 'below', '/below'],
  ['an absolute directory', '/usr', '/usr'],
] as const)('starts in %s', async ([, cwd, path]) => {
  mkdirSync(join(agent.workspace, 'below'), { recursive: true });
  const { stdout, frames } = await processes.run({ command: 'pwd', ...(cwd && { cwd }) });
  const expected = path === '/usr' ? path : `${agent.workspace}${path}`;
  expect(stdout).toBe(`${expected}\n`);
  expect(frames.slice(0, 1).map(jsonOf)).toMatchObject([{ cwd: expected }]);
});

test('keeps both streams apart, or puts them into one in the order in which they were written', async () => {
  const command = 'for i in 1 2 3; do echo out; echo err >&2; done';
  expect(await processes.run({ command })).toMatchObject({ stdout: 'out\n'.repeat(3), stderr: 'err\n'.repeat(3) });
  const merged = await processes.run({ command, stderr: 'stdout' });
  expect(merged).toMatchObject({ stdout: 'out\nerr\n'.repeat(3), stderr: '' });
});

test('can open its streams by name', async () => {
  const { stdout, stderr } = await processes.run({
    command: 'cat /dev/stdin > /dev/stdout; echo err > /dev/stderr',
    stdin: 'text',
  });
  expect({ stdout, stderr }).toEqual({ stdout: 'text', stderr: 'err\n' });
});

test.for([
  ['a program that is missing', { command: ['no-such-program', 'x'] }, 'command-not-started', 'no-such-program'],
  ['a file that is missing', { command: ['./missing'] }, 'command-not-started', './missing'],
  ['a file that is not executable', { command: ['./plain'] }, 'command-not-started', './plain'],
  ['a file that is not a program', { command: ['./nonsense'] }, 'command-not-started', './nonsense'],
  ['a script whose interpreter is missing', { command: ['./script'] }, 'command-not-started', './script'],
  ['a directory', { command: ['./below'] }, 'command-not-started', './below'],
  ['an argument of half a megabyte', { command: ['true', 'x'.repeat(500_000)] }, 'command-not-started', 'longer than'],
  ['a working directory that is a file', { command: 'pwd', cwd: 'plain' }, 'invalid-request', 'plain'],
  ['a working directory that is missing', { command: 'pwd', cwd: '/no/such' }, 'invalid-request', '/no/such'],
  ['a loop of links as its directory', { command: 'pwd', cwd: 'loop' }, 'invalid-request', 'loop'],
  ['an empty command', { command: [] }, 'invalid-request', '/command'],
  ['a program without a name', { command: [''] }, 'invalid-request', '/command'],
  ['a NUL in an argument', { command: ['echo', 'a\0b'] }, 'invalid-request', 'NUL'],
  ['a NUL in a text', { command: 'echo a\0b' }, 'invalid-request', 'NUL'],
  ['a NUL in a directory', { command: 'pwd', cwd: 'a\0b' }, 'invalid-request', '/cwd'],
  [
    'arguments beyond a mebibyte',
    { command: ['echo', ...Array(20).fill('x'.repeat(60_000))] },
    'invalid-request',
    '/command',
  ],
  [
    'a terminal without columns',
    { command: 'tty', terminal: { columns: 0, rows: 24 } },
    'invalid-request',
    '/terminal/columns',
  ],
  [
    'a terminal that is far too wide',
    { command: 'tty', terminal: { columns: 100_000, rows: 24 } },
    'invalid-request',
    '/terminal/columns',
  ],
] as const)('names the reason why it does not start %s, and leaves the id free', async ([, wanted, code, named]) => {
  const { workspace } = agent;
  writeFileSync(join(workspace, 'plain'), 'text');
  writeFileSync(join(workspace, 'nonsense'), '\x7fELF nonsense', { mode: 0o755 });
  writeFileSync(join(workspace, 'script'), '#!/no/such/interpreter\n', { mode: 0o755 });
  mkdirSync(join(workspace, 'below'), { recursive: true });
  if (named === 'loop') symlinkSync('loop', join(workspace, 'loop'));
  const processId = newId('prc');
  const request = { ...wanted, command: typeof wanted.command === 'string' ? wanted.command : [...wanted.command] };
  const problem = (await (await processes.send({ processId, ...request })).json()) as { code: string };
  expect(problem.code).toBe(code);
  expect(JSON.stringify(problem)).toContain(JSON.stringify(named).slice(1, -1));
  expect((await processes.run({ processId, command: ['true'] })).done.exitCode).toBe(0);
});

test('passes a megabyte of arguments', async () => {
  const words = Array.from({ length: 8000 }, () => 'x'.repeat(125));
  expect((await processes.run({ command: ['bash', '-c', 'echo $#', ...words] })).stdout).toBe('7999\n');
});

test('starts an id once, also if it is asked for at the same time', async () => {
  const processId = newId('prc');
  const command = 'echo x >> once; sleep 0.1';
  const answers = await Promise.all([1, 2, 3].map(() => processes.send({ processId, command })));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
  await all(await processes.attach(processId));
  expect((await processes.run({ command: ['cat', 'once'] })).stdout).toBe('x\n');
  const again = await processes.send({ processId, command });
  expect(await again.json()).toMatchObject({ code: 'step-repeated' });
  await Promise.all(answers.map(({ body }) => body?.cancel().catch(() => {})));
});

test('never starts an id that was burnt', async () => {
  const processId = newId('prc');
  const attach = (burn: boolean) => agent.call('POST', processes.path(processId, '/attach'), { after: 0, burn });
  expect((await attach(false)).body.code).toBe('not-found');
  expect((await attach(true)).body.code).toBe('not-found');
  expect(await (await processes.send({ processId, command: 'true' })).json()).toMatchObject({ code: 'step-repeated' });
  expect((await attach(false)).body.code).toBe('not-found');
});

test('goes on when its request has been broken off, and is attached again from any byte', async () => {
  const { processId, frames } = await processes.open({ command: 'echo 0123456789; read; printf abcé', stdin: true });
  await readTo(frames, '9\n');
  await frames.return(undefined);
  const attached = await processes.attach(processId, { after: 5 });
  expect(await attached.next()).toMatchObject({ value: { position: 12, payload: Buffer.from('456789\n') } });
  await processes.input(processId, '\n');
  const rest = await all(attached);
  expect(report(processId, rest).stdout).toBe('abcé');
  for (const { position } of rest) {
    const [first] = await all(await processes.attach(processId, { after: position - 1 }));
    expect(first?.position).toBe(position);
  }
  expect((await agent.call('POST', processes.path(processId, '/attach'), { after: 99 })).status).toBe(400);
});

test('lists a process until its end is acknowledged, and keeps its output after that', async () => {
  const { processId } = await processes.run({ command: 'echo kept' });
  const listed = async () =>
    (await agent.call('GET', '/v1/processes')).body.processes.filter(
      (one: { processId: string }) => one.processId === processId,
    );
  expect(await listed()).toMatchObject([{ state: 'ended', done: { exitCode: 0 }, stdoutBytes: 5 }]);
  expect((await agent.call('POST', '/v1/processes/acks', { processIds: [processId] })).status).toBe(204);
  expect(await listed()).toEqual([]);
  expect(report(processId, await all(await processes.attach(processId))).stdout).toBe('kept\n');
});

test('has nothing of a process any more whose end was acknowledged long ago, and does not start it again', async () => {
  const { processId } = await processes.run({ command: 'true' });
  const acknowledge = (processIds: string[]) => agent.call('POST', '/v1/processes/acks', { processIds });
  await acknowledge([processId]);
  for (let at = 0; at < 256; at++) await acknowledge([(await processes.run({ command: ['/bin/true'] })).processId]);
  expect(await processes.state(processId)).toMatchObject({ code: 'not-found' });
  const output = await agent.call('GET', processes.path(processId, '/output/stdout?offset=0'));
  expect(output.body).toMatchObject({ code: 'not-found' });
  const attached = await agent.call('POST', processes.path(processId, '/attach'), { after: 0 });
  expect(attached.body).toMatchObject({ code: 'step-repeated' });
}, 60_000);

test('collects the changes of a process that is asked for them', async () => {
  const { frames, done } = await processes.run({ command: 'mkdir -p d; echo 1 > d/made', collectChanges: true });
  const changes = frames.filter(({ type }) => type === 'changes').map(jsonOf);
  const made = expect.objectContaining({ path: 'd/made', change: 'created', concurrent: false });
  expect(changes).toMatchObject([{ changes: expect.arrayContaining([made]) }]);
  expect(done.exitCode).toBe(0);
  const quiet = await processes.run({ command: 'echo 2 > d/quiet' });
  expect(quiet.frames.map(({ type }) => type)).toEqual(['started', 'done']);
});
