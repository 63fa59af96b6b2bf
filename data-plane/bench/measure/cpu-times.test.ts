import { expect, test } from 'vitest';
import { childrenOf, cpuTimes } from './cpu-times.ts';

test('counts the time that a process computes', () => {
  const processes = { dataPlane: process.pid, agents: [], postmaster: 0 };
  const [before, own] = [cpuTimes(processes), process.cpuUsage()];
  const used = () => Object.values(process.cpuUsage(own)).reduce((sum, part) => sum + part) / 1000;
  while (used() < 100);
  const ms = cpuTimes(processes)['cpu-data-plane'] - before['cpu-data-plane'];
  expect(ms).toBeGreaterThanOrEqual(80);
  expect(ms).toBeLessThan(400);
});

test('finds the children of a process by their parent', () => {
  expect(childrenOf(process.ppid)).toContain(process.pid);
});

test('a process that does not exist has used nothing', () => {
  const times = cpuTimes({ dataPlane: 2 ** 30, agents: [2 ** 30], postmaster: 2 ** 30 });
  expect(Object.values(times)).toEqual([0, 0, 0, 0, 0]);
});
