import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { listInTurns, readProcess } from '../../src/kernel-process/end/list-processes.ts';
import { createSharedSweeps } from '../../src/kernel-process/end/shared-sweeps.ts';
import { openKernel } from '../support/open-kernel.ts';
import { processesRunning } from '../support/processes-of.ts';
import { until } from '../support/until.ts';

const treeOf = ({ pid = 0 }: ChildProcess) => ({
  pid,
  startedAt: readProcess(pid)?.startedAt ?? 0,
  marker: `HOLDFAST_KERNEL=${pid}`,
});

test('ends many trees with few looks at the processes of the system', async () => {
  const sleeping = `1${String(Math.random()).slice(2, 9)}`;
  const shells = Array.from({ length: 40 }, () =>
    spawn('sh', ['-c', `setsid sleep ${sleeping} & trap "" TERM; wait`], { detached: true, stdio: 'ignore' }),
  );
  const ended = Promise.all(shells.map((shell) => once(shell, 'exit')));
  await until('all of them', () => processesRunning(['sleep', sleeping]) === shells.length);
  let looks = 0;
  const sweep = createSharedSweeps({
    list: async () => {
      looks++;
      return await listInTurns();
    },
  });
  await Promise.all(shells.map((shell) => sweep(treeOf(shell))));
  expect(processesRunning(['sleep', sleeping])).toBe(0);
  await ended;
  expect(looks).toBeLessThan(shells.length);
}, 30_000);

test('ends a tree that comes while others are looked at, and one after all of them', async () => {
  const begin = () => spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
  const [first, second, third] = [begin(), begin(), begin()];
  const sweep = createSharedSweeps({
    list: async () => {
      const listed = await listInTurns();
      // The look did not see what comes now.
      late ??= sweep(treeOf(second));
      return listed.filter(({ pid }) => pid !== second.pid || seen++ > 0);
    },
  });
  let late: Promise<void> | undefined;
  let seen = 0;
  const ended = Promise.all([first, second, third].map((child) => once(child, 'exit')));
  await sweep(treeOf(first));
  await late;
  await sweep(treeOf(third));
  await ended;
  expect([first, second, third].map(({ signalCode }) => signalCode)).toEqual(['SIGKILL', 'SIGKILL', 'SIGKILL']);
});

test('kernels that end at a time share looks as well', async () => {
  let looks = 0;
  const sweep = createSharedSweeps({
    list: async () => {
      looks++;
      return await listInTurns();
    },
  });
  const open = () => openKernel('bash', { config: { sweep } });
  const kernels = await Promise.all(Array.from({ length: 8 }, open));
  await Promise.all(kernels.map(({ kernel }) => kernel.kill()));
  await Promise.all(kernels.map((one) => one[Symbol.asyncDispose]()));
  // Each kernel is swept when it is to end and when it has.
  expect(looks).toBeGreaterThan(0);
  expect(looks).toBeLessThan(2 * kernels.length);
}, 30_000);

test('ends each sweep of one tree, also those that begin during another', async () => {
  const child = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
  const tree = treeOf(child);
  let during: Promise<void> | undefined;
  const sweep = createSharedSweeps({
    list: async () => {
      during ??= sweep(tree);
      return await listInTurns();
    },
  });
  const ended = once(child, 'exit');
  await Promise.all([sweep(tree), sweep(tree)]);
  await during;
  await ended;
  expect(child.signalCode).toBe('SIGKILL');
});
