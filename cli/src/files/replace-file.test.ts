import { execFileSync } from 'node:child_process';
import { chmod, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { replaceFile } from './replace-file.ts';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-replace-'));
  path = join(folder, 'run.sh');
  await writeFile(path, 'old');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('the old file stays if the new one breaks off, and nothing lies beside it', async () => {
  const broken = replaceFile(path, async (target) => {
    await writeFile(target, 'ne');
    throw new Error('broke off');
  });
  await expect(broken).rejects.toThrow('broke off');
  expect([await readdir(folder), await readFile(path, 'utf8')]).toEqual([['run.sh'], 'old']);
});

test('the new file takes the place of the one that a link leads to, with its rights', async () => {
  await chmod(path, 0o750);
  await symlink(path, join(folder, 'link'));
  await replaceFile(join(folder, 'link'), (target) => writeFile(target, 'new'));
  expect([await readFile(path, 'utf8'), (await stat(path)).mode & 0o777]).toEqual(['new', 0o750]);
  expect((await readdir(folder)).toSorted()).toEqual(['link', 'run.sh']);
});

test('a pipe is written to, and stays if that fails', async () => {
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const targets: string[] = [];
  const failed = replaceFile(pipe, async (target) => {
    targets.push(target);
    throw new Error('broke off');
  });
  await expect(failed).rejects.toThrow('broke off');
  expect([targets, (await stat(pipe)).isFIFO()]).toEqual([[pipe], true]);
});
