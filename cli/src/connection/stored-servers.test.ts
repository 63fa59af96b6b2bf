import { lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { changeStoredServers, readStoredServers } from './stored-servers.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-servers-'));
  vi.stubEnv('XDG_CONFIG_HOME', folder);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

const add = (name: string) =>
  changeStoredServers(({ servers }) => ({ servers: { ...servers, [name]: { url: `http://${name}.test` } } }));

test('changes at once are all kept', async () => {
  const names = Array.from({ length: 10 }, (_, i) => `server-${i}`);
  await Promise.all(names.map(add));
  expect(Object.keys((await readStoredServers()).servers).toSorted()).toEqual(names);
  expect(await readdir(join(folder, 'holdfast'))).toEqual(['config.yaml']);
});

test('a file that is linked stays linked, and others cannot read it any more', async () => {
  const file = join(folder, 'dotfiles.yaml');
  const link = join(folder, 'holdfast/config.yaml');
  await writeFile(file, 'servers: {}', { mode: 0o644 });
  await mkdir(join(folder, 'holdfast'));
  await symlink(file, link);
  await add('team');
  expect((await lstat(link)).isSymbolicLink()).toBe(true);
  expect(await readFile(file, 'utf8')).toContain('http://team.test');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});
