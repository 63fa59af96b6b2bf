import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { readProcess } from '../../src/kernel-process/end/list-processes.ts';
import { createStartKernel } from '../../src/kernel-process/start/start-kernel.ts';
import { kernelConfig, openKernel } from '../support/open-kernel.ts';
import { processesRunning } from '../support/processes-of.ts';
import { until } from '../support/until.ts';

const agent = fileURLToPath(new URL('../support/fixtures/agent-with-busy-kernel.ts', import.meta.url));

test.for([
  ['python', 'print("up", flush=True)\nwhile True: pass'],
  // A loop in C, which holds the interpreter's lock.
  ['python', 'print("up", flush=True); max(range(10**15))'],
  ['node', 'console.log("up"); for (;;) {}'],
] as const)('a busy kernel dies with its agent: %s %s', async ([language, code]) => {
  const parent = spawn(process.execPath, [agent, language, code], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(parent.stdout, 'data');
  const pid = Number(String(line));
  expect(readProcess(pid)).not.toBeNull();
  parent.kill('SIGKILL');
  await once(parent, 'exit');
  await until('the end of the kernel', () => readProcess(pid) === null);
});

test('a kernel that is killed when its cgroup runs out of memory has the cause oom_killed', async () => {
  const folder = mkdtempSync('/tmp/holdfast-test-');
  const events = join(folder, 'memory.events');
  writeFileSync(events, 'oom 0\noom_kill 3\n');
  try {
    await using open = await openKernel('python', { config: { memoryEvents: [events] } });
    const code = `open(${JSON.stringify(events)}, 'w').write('oom 1\\noom_kill 4\\n')\nimport os; os.kill(os.getpid(), 9)`;
    expect((await open.run(code)).end).toMatchObject({
      status: 'died',
      cause: { code: 'oom_killed', signal: 'SIGKILL' },
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a kernel that closes its channel is killed, with the reason', async () => {
  await using open = await openKernel('python');
  const { end } = await open.run('import os, time; os.close(3); time.sleep(60)');
  expect(end).toMatchObject({
    status: 'died',
    cause: { code: 'kernel_killed', message: 'the kernel closed its channel' },
  });
});

test('a kernel that dies before it is ready rejects `ready`', async () => {
  const start = createStartKernel(await kernelConfig());
  const kernel = start({ language: 'python', cwd: '/tmp', env: { PYTHONHOME: '/nowhere' }, onBackground: () => {} });
  await expect(kernel.ready).rejects.toThrow('before it was ready');
  expect(await kernel.exited).toMatchObject({ code: 'kernel_exited', exitCode: 1 });
});

test('a missing interpreter is an error at once, and leaves no file behind', async () => {
  const tmp = mkdtempSync('/tmp/holdfast-test-');
  const start = createStartKernel({ ...(await kernelConfig()), python: '/nowhere/python3', tmp });
  try {
    expect(() => start({ language: 'python', cwd: '/tmp', env: {}, onBackground: () => {} })).toThrow(
      /\/nowhere\/python3 cannot be started/,
    );
    expect(readdirSync(tmp)).toEqual([]);
  } finally {
    rmSync(tmp, { recursive: true });
  }
});

test('a running kernel has removed the names of its FIFOs', async () => {
  const tmp = mkdtempSync('/tmp/holdfast-test-');
  try {
    await using open = await openKernel('python', { config: { tmp } });
    expect((await open.run('1')).shown).toBe('1');
    expect(readdirSync(tmp)).toEqual([]);
  } finally {
    rmSync(tmp, { recursive: true });
  }
});

test.for(['python', 'node'] as const)(
  'an orphan that has cleared its environment dies with its %s kernel',
  async (language) => {
    await using open = await openKernel(language, { config: { hasPython: true } });
    const seconds = 70_000 + Math.floor(Math.random() * 9000);
    const args = JSON.stringify(['-i', 'setsid', 'sh', '-c', `sleep ${seconds} & exit`]);
    const spawnIt = {
      python: `import subprocess; subprocess.run(["env", *${args}]).returncode`,
      node: `require('node:child_process').spawnSync('env', ${args}, { stdio: 'ignore' }).status`,
    };
    expect((await open.run(spawnIt[language])).shown).toBe('0');
    await until('the process', () => processesRunning(['sleep', String(seconds)]) === 1);
    await open.kernel.kill();
    expect(processesRunning(['sleep', String(seconds)])).toBe(0);
  },
);
