import { availableParallelism } from 'node:os';
import { expect, test } from 'vitest';
import { kernelEnvironment } from './kernel-environment.ts';

const config = {
  sweep: async () => {},
  python: 'python3',
  node: 'node',
  path: '/bin',
  home: '/tmp',
  tmp: '/tmp',
  agentTmp: '/tmp',
};
const environment = (env: Record<string, string>, changes = {}) =>
  kernelEnvironment({ ...config, ...changes }, { env }, 'marker');

test('numerical libraries start one thread for each available processor, and at most eight', () => {
  const threads = Number(environment({}).OMP_NUM_THREADS);
  expect(threads).toBe(Math.min(availableParallelism(), 8));
});

test("the sandbox's variables override ours, and the session's override both", () => {
  const changes = { env: { LANG: 'C', PIP_INDEX_URL: 'a', no_proxy: 'b' } };
  expect(environment({ PIP_INDEX_URL: 'own' }, changes)).toMatchObject({
    LANG: 'C',
    PIP_INDEX_URL: 'own',
    no_proxy: 'b',
  });
});

test("the session's variables override ours, except the marker that identifies its processes", () => {
  const env = environment({ OMP_NUM_THREADS: '2', HOLDFAST_KERNEL: 'forged' });
  expect(env).toMatchObject({ OMP_NUM_THREADS: '2', HOLDFAST_KERNEL: 'marker' });
});
