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

test('the counters of both versions of cgroups are found, the nearest to the process first', () => {
  mkdirSync(join(root, 'memory/pod/box'), { recursive: true });
  mkdirSync(join(root, 'slice'));
  writeFileSync(join(root, 'memory/pod/memory.oom_control'), 'under_oom 0\noom_kill 2\n');
  writeFileSync(join(root, 'slice/memory.events'), 'oom 9\noom_kill 5\noom_group_kill 7\n');
  writeFileSync(join(root, 'cgroup'), '8:pids:/x\n4:memory:/pod/box\n0::/slice/gone\n');
  const files = findMemoryEvents(root, join(root, 'cgroup'));
  expect(files.map((file) => file.slice(root.length))).toEqual([
    '/memory/pod/memory.oom_control',
    '/slice/memory.events',
  ]);
  expect(countOomKills(files)).toBe(7);
});

test('a system without cgroups has nothing to count', () => {
  expect(findMemoryEvents(root, join(root, 'cgroup'))).toEqual([]);
  expect(countOomKills([join(root, 'gone')])).toBe(0);
});
