import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ProgramLimits } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { processesRunning } from '../support/processes-of.ts';
import { type AgentUnderTest, startAgent } from '../support/start-agent.ts';
import { until } from '../support/until.ts';
import { all, processClient, readTo, report } from './support/process-client.ts';

const cwd = fileURLToPath(new URL('../../src/languages/python', import.meta.url));
let agent: AgentUnderTest;
let processes: ReturnType<typeof processClient>;
beforeAll(async () => {
  agent = await startAgent({ HOLDFAST_AGENT_PYTHON_PRELOAD: 'none' });
  processes = processClient(agent);
});
afterAll(() => agent[Symbol.asyncDispose]());

/** A number that identifies a test's processes by their command lines. */
const seconds = () => `1${String(Math.random()).slice(2, 9)}`;

const allocating = 'x = []\nwhile True: x.append(bytearray(1 << 20))';
const halves = 'import os, time\nos.fork()\nx = bytearray(b"x" * (70 << 20))\ntime.sleep(60)';

test.for([
  ['memory', 'memory_limit', { memoryMb: 64 }, ['python3', '-c', allocating]],
  ['memory of all its processes together', 'memory_limit', { memoryMb: 100 }, ['python3', '-c', halves]],
  ['CPU time', 'cpu_limit', { cpuSeconds: 1 }, 'while :; do :; done & while :; do :; done'],
  [
    'CPU time of what has ended',
    'cpu_limit',
    { cpuSeconds: 1 },
    'while :; do head -c 3000000 /dev/zero | sha1sum; done',
  ],
  [
    'CPU time after it has stopped its watcher',
    'cpu_limit',
    { cpuSeconds: 1 },
    'kill -STOP $PPID; sleep 0.3; kill -STOP $PPID; while :; do :; done',
  ],
  ['processes', 'process_limit', { processesMax: 4 }, 'for i in 1 2 3 4 5 6; do sleep 60 & done; wait'],
] as [string, string, ProgramLimits, string | string[]][])(
  'ends a process that exceeds its %s',
  { timeout: 30_000 },
  async ([, code, limits, command]) => {
    const { done } = await processes.run({ command, limits });
    expect(done).toMatchObject({ status: 'signalled', signal: 'SIGKILL', exitCode: null, cause: { code } });
    expect(done.cause?.message).toContain(String(Object.values(limits)[0]));
  },
);

test('ends a process by the file that it writes, or lets it handle the failure', async () => {
  const limits = { fileMb: 1 };
  const { done } = await processes.run({ command: ['dd', 'if=/dev/zero', 'of=big', 'bs=1M', 'count=3'], limits });
  expect(done).toMatchObject({ status: 'signalled', signal: 'SIGXFSZ', cause: { code: 'file_limit' } });
  const handled = await processes.run({ command: 'trap "" XFSZ; head -c 3000000 /dev/zero > big; exit 6', limits });
  expect(handled.done).toMatchObject({ status: 'exited', exitCode: 6, cause: null });
});

test('keeps limits that are not reached out of the way of streams, signals, exits and usage', async () => {
  const limits = { memoryMb: 1000, cpuSeconds: 100, processesMax: 1000, fileMb: 100 };
  const { stdout, stderr, done } = await processes.run({ command: 'cat; echo err >&2; exit 4', stdin: 'in', limits });
  expect({ stdout, stderr }).toEqual({ stdout: 'in', stderr: 'err\n' });
  expect(done).toMatchObject({ status: 'exited', exitCode: 4, cause: null, outputIncomplete: false });
  expect(done.usage?.memoryBytesMax).toBeGreaterThan(100_000);
  const shell = await processes.run({ command: 'stty size; tty', terminal: { columns: 91, rows: 33 }, limits });
  expect(shell.stdout).toMatch(/^33 91\r\n\/dev\/pts/);
  const { processId, frames } = await processes.open({
    command: 'trap "exit 5" TERM; echo up; sleep 600 & wait',
    limits,
  });
  await readTo(frames, 'up');
  await processes.signal(processId, 'SIGTERM');
  expect(report(processId, await all(frames)).done).toMatchObject({ status: 'exited', exitCode: 5 });
  const missing = await processes.send({ command: ['./missing'], limits });
  expect(await missing.json()).toMatchObject({ code: 'command-not-started' });
  const late = await processes.send({ command: ['true', 'x'.repeat(500_000)], limits });
  expect(await late.json()).toMatchObject({ code: 'command-not-started' });
});

/** Leaves a process behind that has left group, session, parents and environment. */
const escaping = (sleeping: string, rest: string) =>
  `import os, time\nif os.fork() == 0:\n  os.setsid()\n  if os.fork() == 0: os.execve('/bin/sleep', ['sleep', '${sleeping}'], {})\n  os._exit(0)\nos.wait()\n${rest}`;

test('counts what has left its tree, and ends it with the others', async () => {
  const sleeping = seconds();
  const command = escaping(sleeping, 'print("up", flush=True)\ninput()\nwhile True: pass');
  const { processId, frames } = await processes.open({
    command: ['python3', '-c', command],
    stdin: true,
    limits: { cpuSeconds: 1 },
  });
  await readTo(frames, 'up');
  await until('the escape', () => processesRunning(['sleep', sleeping]) === 1);
  await processes.input(processId, '\n');
  expect(report(processId, await all(frames)).done.cause).toMatchObject({ code: 'cpu_limit' });
  await until('the escaped one to be gone', () => processesRunning(['sleep', sleeping]) === 0);
}, 30_000);

test('goes on to hold what a program has left behind to its limits', async () => {
  const sleeping = seconds();
  const rest = 'if os.fork() == 0:\n  time.sleep(0.5)\n  while True: pass';
  const { done } = await processes.run({
    command: ['python3', '-c', escaping(sleeping, rest)],
    limits: { cpuSeconds: 1 },
  });
  expect(done).toMatchObject({ status: 'exited', exitCode: 0 });
  await until('the limit to be reached', () => processesRunning(['sleep', sleeping]) === 0, 20_000);
}, 30_000);

test('ends a process whose watcher was killed, with what has left its session: they have no limits any more', async () => {
  const sleeping = seconds();
  const { processId, frames } = await processes.open({
    command: `setsid sleep ${sleeping} & echo $PPID; sleep 600`,
    limits: { cpuSeconds: 100 },
  });
  const watcher = (await readTo(frames, '\n')).trim();
  await until('the other session', () => processesRunning(['sleep', sleeping]) === 1);
  await processes.run({ command: `kill -KILL ${watcher}` });
  expect(report(processId, await all(frames)).done).toMatchObject({ status: 'signalled', signal: 'SIGKILL' });
  await until('the other session to be gone', () => processesRunning(['sleep', sleeping]) === 0);
});

test('ends what a process has left behind if its watcher is killed', async () => {
  const sleeping = seconds();
  const { stdout } = await processes.run({
    command: `setsid sleep ${sleeping} & echo $PPID`,
    limits: { cpuSeconds: 100 },
  });
  await until('the other session', () => processesRunning(['sleep', sleeping]) === 1);
  await processes.run({ command: `kill -KILL ${stdout.trim()}` });
  await until('the other session to be gone', () => processesRunning(['sleep', sleeping]) === 0);
});

/** Starts a program with limits, and reads what its watcher says only when both have ended. */
const readLate = `
import os
from holdfast_kernel.agent.program_limits import ProgramLimits
from holdfast_processes import watched

read = os.read
def read_late(*asked):
    os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT)
    return read(*asked)

start = {'streams': {}, 'cwd': '/', 'env': {}, 'file': '/bin/true', 'command': ['true']}
os.read = read_late
# Its watcher reads as ever.
os.register_at_fork(after_in_child=lambda: setattr(os, 'read', read))
pid, reports, _ = watched.start_watched(start, {1: os.open(os.devnull, os.O_RDWR)}, ProgramLimits('100,,,'))
print(pid > 0, read(reports, 256).split()[:2])`;

/** Starts a program that is stopped before it is executed. */
const stopped = `
import os, signal
from holdfast_processes.start import start

os.register_at_fork(after_in_child=lambda: os.kill(os.getpid(), signal.SIGSTOP))
message = {'streams': {}, 'cwd': '/', 'env': {}, 'file': '/bin/true', 'command': ['true']}
pid = start(message, {1: os.open(os.devnull, os.O_RDWR)})
print(os.waitpid(pid, 0) == (pid, 0))`;

test('starts a program that other code stops before it is executed', () => {
  const { stdout, stderr } = spawnSync('python3', ['-c', stopped], { cwd, encoding: 'utf8', timeout: 10_000 });
  expect({ stdout, stderr }).toEqual({ stdout: 'True\n', stderr: '' });
});

test('starts a program that ends before anything is read of its watcher', () => {
  const { stdout, stderr } = spawnSync('python3', ['-c', readLate], { cwd, encoding: 'utf8' });
  expect({ stdout, stderr }).toEqual({ stdout: "True [b'ended', b'0']\n", stderr: '' });
});
