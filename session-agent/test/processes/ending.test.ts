import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { newId } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { processesOf, processesRunning } from '../support/processes-of.ts';
import { type AgentUnderTest, startAgent } from '../support/start-agent.ts';
import { until } from '../support/until.ts';
import { all, processClient, readTo, report } from './support/process-client.ts';

const start = (env: Record<string, string> = {}) =>
  startAgent({
    HOLDFAST_STOP_GRACE_MS: '300',
    HOLDFAST_AGENT_PYTHON_PRELOAD: 'none',
    // Most tests have an agent of their own, and the shared one hears nothing meanwhile.
    HOLDFAST_AGENT_LEASE_SECONDS: '3600',
    ...env,
  });
let agent: AgentUnderTest;
let processes: ReturnType<typeof processClient>;
beforeAll(async () => {
  agent = await start();
  processes = processClient(agent);
});
afterAll(() => agent[Symbol.asyncDispose]());

/** A number that identifies a test's processes by their command lines. */
const seconds = () => `1${String(Math.random()).slice(2, 9)}`;

/** Starts a process and waits until it has said `up`. */
async function begun(command: string, request: object = {}, by = processes) {
  const opened = await by.open({ command, ...request });
  await readTo(opened.frames, 'up');
  return { ...opened, ended: async () => report(opened.processId, await all(opened.frames)).done };
}

test.for(['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGUSR1', 'SIGKILL'])('ends by the signal %s', async (signal) => {
  const { processId, ended } = await begun('echo up; sleep 600');
  expect((await processes.signal(processId, signal)).status).toBe(204);
  expect(await ended()).toMatchObject({ status: 'signalled', signal, exitCode: null, cause: null });
});

test('sends a signal to the whole group, which a program may handle', async () => {
  const { processId, ended } = await begun('trap "exit 5" TERM; echo up; sleep 600 & wait');
  await processes.signal(processId, 'SIGTERM');
  expect(await ended()).toMatchObject({ status: 'exited', exitCode: 5 });
});

test('stops and continues', async () => {
  const { processId, ended } = await begun('echo up; read; exit 3', { stdin: true });
  await processes.signal(processId, 'SIGSTOP');
  await processes.input(processId, '\n');
  expect((await processes.state(processId)).state).toBe('running');
  await processes.signal(processId, 'SIGCONT');
  expect(await ended()).toMatchObject({ exitCode: 3 });
});

test('refuses a signal and another size for a process that has ended, and signals that it does not know', async () => {
  const { processId } = await processes.run({ command: 'true' });
  expect((await processes.signal(processId, 'SIGTERM')).body.code).toBe('process-ended');
  const size = { columns: 80, rows: 24 };
  expect((await agent.call('PUT', processes.path(processId, '/terminal'), size)).body.code).toBe('process-ended');
  expect((await processes.signal(processId, 'SIGSEGV')).body.code).toBe('invalid-request');
  const running = await begun('echo up; sleep 600');
  expect((await agent.call('PUT', processes.path(running.processId, '/terminal'), size)).body.code).toBe('no-terminal');
  await processes.signal(running.processId, 'SIGKILL');
  await running.ended();
});

test('ends after its timeout by SIGTERM, and by SIGKILL if that is ignored', async () => {
  const { done } = await processes.run({ command: 'sleep 600', timeoutMs: 100 });
  expect(done).toMatchObject({ status: 'timed_out', signal: 'SIGTERM', cause: { code: 'timeout' } });
  const deaf = await processes.run({ command: 'trap "" TERM; while :; do sleep 1; done', timeoutMs: 100 });
  expect(deaf.done).toMatchObject({ status: 'timed_out', signal: 'SIGKILL', cause: { code: 'timeout' } });
});

test('kills the whole tree by SIGKILL, also what has left its group and session', async () => {
  const sleeping = seconds();
  const { processId, ended } = await begun(`setsid sleep ${sleeping} & echo up; sleep 600`);
  await until('the other session', () => processesRunning(['sleep', sleeping]) === 1);
  await processes.signal(processId, 'SIGKILL');
  await ended();
  await until('the tree to be gone', () => processesRunning(['sleep', sleeping]) === 0);
});

test('ends when its program does, and leaves alone what that has left behind', async () => {
  const sleeping = seconds();
  const { done, stdout } = await processes.run({
    command: `(echo first; sleep 0.8; echo late; exec sleep ${sleeping}) & echo up`,
  });
  expect(stdout.split('\n').sort()).toEqual(['', 'first', 'up']);
  expect(done).toMatchObject({ status: 'exited', exitCode: 0, outputIncomplete: true });
  await until('the output to be written into the void', () => processesRunning(['sleep', sleeping]) === 1);
  expect((await agent.call('DELETE', '/v1/processes')).status).toBe(204);
  expect(processesRunning(['sleep', sleeping])).toBe(0);
});

const escaping = (sleeping: string) =>
  `import os\nif os.fork() == 0:\n  os.setsid()\n  if os.fork() == 0: os.execve('/bin/sleep', ['sleep', '${sleeping}'], {})\n  os._exit(0)\nos.wait()`;

test.for(['DELETE /v1/processes', 'POST /v1/fence'])(
  'ends all processes on %s, also one that has left group, session, parents and environment',
  async (operation) => {
    await using own = await start();
    const client = processClient(own);
    const sleeping = seconds();
    await client.run({ command: ['python3', '-c', escaping(sleeping)] });
    await until('the escape', () => processesRunning(['sleep', sleeping]) === 1);
    const running = await begun('trap "" TERM INT HUP; echo up; while :; do sleep 1; done', {}, client);
    const [method = '', path = ''] = operation.split(' ');
    expect((await own.call(method, path)).status).toBe(204);
    expect(processesRunning(['sleep', sleeping])).toBe(0);
    expect(await running.ended()).toMatchObject({
      status: 'signalled',
      signal: 'SIGKILL',
      cause: { code: 'session_ended' },
    });
    const later = await client.send({ command: 'true' });
    expect(later.status).toBe(path === '/v1/fence' ? 410 : 200);
    await later.body?.cancel();
  },
);

test.for(['SIGTERM', 'SIGKILL'] as const)('ends with its agent by %s', async (signal) => {
  await using own = await start();
  const sleeping = seconds();
  await begun(`setsid sleep ${sleeping} & echo up; sleep 600`, {}, processClient(own));
  await until('the other session', () => processesRunning(['sleep', sleeping]) === 1);
  own.signal(signal);
  await own.exited;
  await until('the processes to be gone', () => processesRunning(['sleep', sleeping]) === 0);
});

test('goes on if code kills the process that started it, which is replaced', async () => {
  await using own = await start();
  const client = processClient(own);
  const { processId, frames } = await client.open({ command: 'echo up $PPID; read; echo still', stdin: true });
  const parent = (await readTo(frames, '\n')).split(' ')[1]?.trim();
  await client.run({ command: `kill -TERM ${parent}; kill -INT ${parent}; kill -HUP ${parent}` });
  expect((await client.run({ command: 'echo $PPID' })).stdout.trim()).toBe(parent);
  await client.send({ command: `kill -KILL ${parent}` });
  await until(
    'another parent',
    async () => (await client.run({ command: 'echo $PPID' }).catch(() => null))?.stdout.trim() !== parent,
  );
  await client.input(processId, '\n');
  const { stdout, done } = report(processId, await all(frames));
  expect(stdout).toBe('still\n');
  expect(done).toMatchObject({ status: 'exited', exitCode: null, signal: null, usage: null });
});

test('ends on DELETE /v1/processes also what was left behind before code killed the process that started it', async () => {
  await using own = await start();
  const client = processClient(own);
  const sleeping = seconds();
  const { stdout } = await client.run({ command: `setsid sleep ${sleeping} & echo $PPID` });
  await until('the other session', () => processesRunning(['sleep', sleeping]) === 1);
  process.kill(Number(stdout), 'SIGKILL');
  await until('the parent to be gone', () => !existsSync(`/proc/${stdout.trim()}`));
  expect((await own.call('DELETE', '/v1/processes')).status).toBe(204);
  expect(processesRunning(['sleep', sleeping])).toBe(0);
});

test('goes on if code stops the process that started it', async () => {
  await using own = await start();
  const client = processClient(own);
  const { processId, frames } = await client.open({ command: 'echo $PPID; read; exit 3', stdin: true });
  const parent = Number(await readTo(frames, '\n'));
  process.kill(parent, 'SIGSTOP');
  expect((await client.run({ command: 'echo on $PPID' })).stdout).toBe(`on ${parent}\n`);
  process.kill(parent, 'SIGSTOP');
  await client.input(processId, '\n');
  expect(report(processId, await all(frames)).done).toMatchObject({ status: 'exited', exitCode: 3 });
  const sleeping = seconds();
  await client.run({ command: ['python3', '-c', escaping(sleeping)] });
  await until('the escape', () => processesRunning(['sleep', sleeping]) === 1);
  process.kill(parent, 'SIGSTOP');
  expect((await own.call('DELETE', '/v1/processes')).status).toBe(204);
  expect(processesRunning(['sleep', sleeping])).toBe(0);
});

/** Holds a process as a debugger does (PTRACE_ATTACH), until it is killed itself. */
const holding = `import ctypes, os, sys, time
held = ctypes.CDLL(None).ptrace(16, int(sys.argv[1]), None, None) == 0
os.waitpid(int(sys.argv[1]), 0x40000000)
print('held' if held else 'refused', flush=True)
time.sleep(600)`;

test('goes on soon if a debugger holds the process that starts the others', async () => {
  await using own = await start();
  const client = processClient(own);
  const parent = (await client.run({ command: 'echo $PPID' })).stdout.trim();
  const tracer = spawn('python3', ['-c', holding, parent], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void tracer.kill('SIGKILL'));
  expect(String((await once(tracer.stdout, 'data'))[0])).toContain('held');
  const askedMs = performance.now();
  expect((await client.send({ command: 'true' })).status).not.toBe(200);
  // The time after which the agent gives up any request.
  expect(performance.now() - askedMs).toBeLessThan(20_000);
  const { stdout } = await client.run({ command: 'echo on $PPID' });
  expect(stdout).toMatch(/^on \d+\n$/);
  expect(stdout).not.toContain(parent);
}, 60_000);

test('runs two hundred at once, refuses more than the limit, and returns all descriptors', async () => {
  await using own = await start({ HOLDFAST_PROCESSES_MAX: '200' });
  const client = processClient(own);
  const folder = `/proc/${own.pid}/fd`;
  const descriptors = () =>
    readdirSync(folder).filter((name) => /^pipe:|ptmx$/.test(linkOf(join(folder, name)))).length;
  await client.run({ command: 'true' });
  await until('the first to be closed', () => descriptors() > 0);
  const before = descriptors();
  const opened = [];
  for (let at = 0; at < 200; at++) opened.push(await client.open({ command: ['cat'], stdin: true, output: 'ends' }));
  const refused = await client.send({ command: 'true' });
  expect(await refused.json()).toMatchObject({ code: 'quota-exceeded' });
  for (const { processId } of opened) await client.input(processId, 'x', '?end=true');
  for (const { processId, frames } of opened) expect(report(processId, await all(frames)).stdout).toBe('x');
  await until('the descriptors to be closed', () => descriptors() <= before, 10_000);
  expect((await client.run({ command: 'echo free' })).stdout).toBe('free\n');
}, 60_000);

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

test('reports the CPU time and the memory that it used', async () => {
  const { done } = await processes.run({
    command: ['python3', '-c', 'x = bytearray(80_000_000)\nfor _ in range(3_000_000): pass'],
  });
  expect(done.usage?.memoryBytesMax).toBeGreaterThan(80_000_000);
  expect(done.usage?.cpuSeconds).toBeGreaterThan(0.01);
});

test('starts nothing and takes no input while the policy forbids programs', async () => {
  await using own = await start();
  const client = processClient(own);
  const { processId } = await begun('echo up; read', { stdin: true }, client);
  await own.call('PUT', '/v1/policy', { revision: 1, allowShellCommands: false });
  expect(await (await client.send({ command: 'true' })).json()).toMatchObject({ code: 'policy-changed' });
  const refused = await own.call(
    'POST',
    '/v1/processes',
    {
      processId: newId('prc'),
      command: 'true',
      stdin: false,
      stderr: 'separate',
      collectChanges: false,
    },
    { 'holdfast-policy-revision': '1' },
  );
  expect(refused.body.code).toBe('policy-denied');
  expect(await (await client.input(processId, '\n')).json()).toMatchObject({ code: 'policy-denied' });
  expect(processesOf(own.uid).length).toBeGreaterThan(1);
});
