import { expect, test } from 'vitest';
import { filePathSchema, pathNamesMax, sandboxPath, sandboxPathSchema, workspacePath } from './workspace-path.ts';

test.each([
  ['', ''],
  ['.', ''],
  ['x', 'x'],
  ['./a//b/./c/', 'a/b/c'],
  ['/workspace', ''],
  ['/workspace/', ''],
  ['/workspace/a', 'a'],
  ['/mnt/data/a/b', 'a/b'],
  ['workspace/a', 'workspace/a'],
  ['...', '...'],
  ['a/..b', 'a/..b'],
  ['n'.repeat(255), 'n'.repeat(255)],
])('the path %j becomes %j', (given, path) => {
  expect(workspacePath(given)).toBe(path);
  expect(filePathSchema.parse(given)).toBe(path);
  expect(sandboxPath(given)).toBe(path);
});

test.each([
  '..',
  'a/..',
  '/',
  '/etc/passwd',
  '//workspace/x',
  '/workspaces/x',
  '/workspace/../x',
  '/mnt/database',
  'a\0b',
  'a\ud800b',
  'n'.repeat(256),
  'é'.repeat(128),
  'a/'.repeat(pathNamesMax + 1),
  `${'n'.repeat(250)}/`.repeat(17),
  '.holdfast-upload-x',
  'a/.holdfast-upload-x/b',
])('the path %j is rejected', (given) => {
  expect(workspacePath(given)).toBeNull();
  expect(filePathSchema.safeParse(given).success).toBe(false);
});

test.each([
  ['/', '/'],
  ['/tmp', '/tmp'],
  ['//tmp//x/./y/', '/tmp/x/y'],
  ['/workspaces/x', '/workspaces/x'],
  ['//workspace/x', 'x'],
  ['/./workspace/x', 'x'],
  ['/mnt/./data/', ''],
])('the absolute path %j becomes %j in a sandbox', (given, path) => {
  expect(sandboxPath(given)).toBe(path);
  expect(sandboxPathSchema.parse(given)).toBe(path);
});

test.each([
  '/..',
  '/tmp/..',
  '/tmp/../workspace',
  '/workspace/..',
  '/tmp/\0',
  '/tmp/\ud800',
  '/tmp/.holdfast-upload-x',
  '/workspace/.holdfast-upload-x',
  `/${'n'.repeat(256)}`,
  `/${'a/'.repeat(pathNamesMax + 1)}`,
  '../tmp',
])('the path %j is rejected everywhere in a sandbox', (given) => {
  expect(sandboxPath(given)).toBeNull();
  expect(sandboxPathSchema.safeParse(given).success).toBe(false);
});
