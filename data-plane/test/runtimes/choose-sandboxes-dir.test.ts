import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { chooseSandboxesDir } from '../../src/runtimes/process/choose-sandboxes-dir.ts';

let root: string;
let project: string;
let outside: string;
beforeEach(() => {
  root = mkdtempSync(join(realpathSync(tmpdir()), 'holdfast-place-'));
  [project, outside] = [join(root, 'project'), join(root, 'state')];
  mkdirSync(project);
});
afterEach(() => rmSync(root, { recursive: true }));

test('sandboxes are in a data directory that is in no project', () => {
  const dataDir = join(project, 'data');
  expect(chooseSandboxesDir(dataDir, [outside])).toBe(join(dataDir, 'sandboxes'));
  expect(readdirSync(root)).toEqual(['project']);
});

test.each(['package.json', 'node_modules', '.git'])(
  'with %s above the data directory they are outside, for good',
  (mark) => {
    mkdirSync(join(project, mark));
    const dataDir = join(project, 'deep/.holdfast');
    const chosen = chooseSandboxesDir(dataDir, [outside]);
    expect(chosen).toBe(join(outside, readdirSync(outside)[0] ?? ''));
    expect(realpathSync(join(dataDir, 'sandboxes'))).toBe(chosen);
    expect(chooseSandboxesDir(dataDir, [join(root, 'other')])).toBe(chosen);
  },
);

test('each data directory has a folder of its own', () => {
  writeFileSync(join(project, 'package.json'), '{}');
  const [first, second] = ['a', 'b'].map((name) => chooseSandboxesDir(join(project, name), [outside]));
  expect(first).not.toBe(second);
});

test('a place that is in a project or cannot be written to is passed over', () => {
  for (const name of ['project', 'state']) {
    mkdirSync(join(root, name), { recursive: true });
    writeFileSync(join(root, name, 'package.json'), '{}');
  }
  writeFileSync(join(root, 'file'), '');
  const places = [outside, join(root, 'file'), join(root, 'free')];
  expect(chooseSandboxesDir(join(project, 'data'), places)).toContain(join(root, 'free/'));
  expect(chooseSandboxesDir(join(project, 'other'), places.slice(0, 2))).toBe(join(project, 'other/sandboxes'));
});

test('an empty folder inside the project is replaced, and one with sandboxes stays', () => {
  writeFileSync(join(project, 'package.json'), '{}');
  mkdirSync(join(project, 'new/sandboxes'), { recursive: true });
  mkdirSync(join(project, 'used/sandboxes/ses-1'), { recursive: true });
  expect(chooseSandboxesDir(join(project, 'new'), [outside])).toContain(outside);
  expect(chooseSandboxesDir(join(project, 'used'), [outside])).toBe(join(project, 'used/sandboxes'));
});

test('a link that leads nowhere gets its folder again', () => {
  const dataDir = join(project, 'data');
  mkdirSync(dataDir);
  symlinkSync(join(outside, 'removed'), join(dataDir, 'sandboxes'));
  expect(chooseSandboxesDir(dataDir, [outside])).toBe(join(outside, 'removed'));
});
