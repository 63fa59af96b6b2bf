import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { installPackedServer } from './install-packed-server.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-server-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A project with the package of the server, and a dependency beside it. */
async function projectWith(program: string): Promise<string> {
  const project = await mkdtemp(join(folder, 'project-'));
  const server = join(project, 'node_modules/@holdfast/server');
  await mkdir(join(server, 'dist/data-plane/dist'), { recursive: true });
  await writeFile(join(server, 'package.json'), '{"name": "@holdfast/server", "version": "1.0.0"}');
  await writeFile(join(server, 'dist/data-plane/dist/main.mjs'), program);
  await mkdir(join(project, 'node_modules/postgres'));
  return project;
}

test('a server of the same version in another folder is another one, also when the first folder is gone', async () => {
  const state = join(folder, 'state');
  const first = await projectWith('first');
  const firstMain = (await installPackedServer(first, state)) ?? '';
  expect([firstMain, await readFile(firstMain, 'utf8')]).toEqual([await installPackedServer(first, state), 'first']);
  await rm(first, { recursive: true });
  const main = (await installPackedServer(await projectWith('second'), state)) ?? '';
  expect(await readFile(main, 'utf8')).toBe('second');
  await readFile(join(dirname(main), '../../node_modules/@holdfast/server/package.json'));
});
