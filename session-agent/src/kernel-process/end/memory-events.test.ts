import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { countOomKills, findMemoryEvents } from './memory-events.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'holdfast-test-'));
});
afterEach(() => rmSync(root, { recursive: true }));

test('finds the counters of both versions of cgroups, each in the folder nearest to the process', () => {
  mkdirSync(join(root, 'memory/pod/box'), { recursive: true });
  mkdirSync(join(root, 'slice'));
  writeFileSync(join(root, 'memory/pod/memory.oom_control'), 'under_oom 0\noom_kill 2\n');
  writeFileSync(join(root, 'slice/memory.events'), 'oom 9\noom_kill 5\noom_group_kill 7\n');
  writeFileSync(join(root, 'cgroup'), '8:pids:/x\n4:memory:/pod/box\n0::/slice/gone\n');
  for (const folder of ['memory/pod', 'slice']) writeFileSync(join(root, folder, 'cgroup.procs'), `${process.pid}\n`);
  const files = findMemoryEvents({ root, ownCgroups: join(root, 'cgroup') });
  expect(files.map((file) => file.slice(root.length))).toEqual([
    '/memory/pod/memory.oom_control',
    '/slice/memory.events',
  ]);
  expect(countOomKills(files)).toBe(7);
});

test('counts nothing on a system without cgroups', () => {
  expect(findMemoryEvents({ root, ownCgroups: join(root, 'cgroup') })).toEqual([]);
  expect(countOomKills([join(root, 'gone')])).toBe(0);
});

test('uses a cgroup only if it holds just the process, its descendants and the init of a container', () => {
  writeFileSync(join(root, 'memory.events'), 'oom_kill 5\n');
  writeFileSync(join(root, 'cgroup'), '0::/\n');
  const found = (members: number[], pid = process.pid) => {
    writeFileSync(join(root, 'cgroup.procs'), members.map((member) => `${member}\n`).join(''));
    return findMemoryEvents({ root, ownCgroups: join(root, 'cgroup'), pid }).length;
  };
  expect(found([process.pid])).toBe(1);
  expect(found([process.ppid, process.pid], process.ppid)).toBe(1);
  expect(found([1, process.pid])).toBe(1);
  expect(found([1])).toBe(0);
  expect(found([process.ppid, process.pid])).toBe(0);
  expect(found([process.pid, 0])).toBe(0);
  expect(found([])).toBe(0);
});
