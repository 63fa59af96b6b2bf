import { spawn } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { childrenOf, cpuTimes, cpuWithDescendants } from './cpu-times.ts';

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

test('counts what descends from a process, and no other process', async () => {
  const children = ['setInterval(() => {}, 1000)', 'for (;;);'].map((code) => spawn(process.execPath, ['-e', code]));
  const [idle = 0, busy = 0] = children.map(({ pid }) => pid);
  const before = cpuWithDescendants(process.pid);
  while (cpuWithDescendants(busy) < 1000) await wait(10);
  expect(cpuWithDescendants(process.pid) - before).toBeGreaterThanOrEqual(900);
  expect(cpuWithDescendants(idle)).toBeLessThan(900);
  for (const child of children) child.kill('SIGKILL');
});

test('a process that does not exist has used nothing', () => {
  const times = cpuTimes({ dataPlane: 2 ** 30, agents: [2 ** 30], postmaster: 2 ** 30 });
  expect(Object.values(times)).toEqual([0, 0, 0, 0, 0]);
});
