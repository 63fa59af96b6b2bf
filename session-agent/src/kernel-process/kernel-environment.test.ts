import { availableParallelism } from 'node:os';
import { expect, test } from 'vitest';
import { kernelEnvironment } from './kernel-environment.ts';

const config = { python: 'python3', node: 'node', path: '/bin', home: '/tmp', tmp: '/tmp' };
const environment = (env: Record<string, string>) => kernelEnvironment(config, { env }, 'marker');

test('numerical libraries start as many threads as there are processors to use, and at most eight', () => {
  const threads = Number(environment({}).OMP_NUM_THREADS);
  expect(threads).toBe(Math.min(availableParallelism(), 8));
});

test("the session's variables win, but for the mark by which its processes are found", () => {
  const env = environment({ OMP_NUM_THREADS: '2', HOLDFAST_KERNEL: 'forged' });
  expect(env).toMatchObject({ OMP_NUM_THREADS: '2', HOLDFAST_KERNEL: 'marker' });
});
