import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { installPackedServer } from './install-packed-server.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-server-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A project with the package of the server, whose dependency is in the folder that npm has chosen. */
async function projectWith(program: string, { modules = 'node_modules' } = {}): Promise<string> {
  const project = await mkdtemp(join(folder, 'project-'));
  const server = join(project, 'node_modules/@holdfast/server');
  await mkdir(join(server, 'dist/data-plane/dist'), { recursive: true });
  await writeFile(
    join(server, 'package.json'),
    JSON.stringify({
      name: '@holdfast/server',
      version: '1.0.0',
      optionalDependencies: { '@postgres/here': '1', '@postgres/elsewhere': '1' },
    }),
  );
  await writeFile(join(server, 'dist/data-plane/dist/main.mjs'), program);
  await mkdir(join(project, modules, '@postgres/here'), { recursive: true });
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
});

test('a package that was built again under its version is copied again', async () => {
  const state = join(folder, 'state');
  const project = await projectWith('old');
  await installPackedServer(project, state);
  await writeFile(join(project, 'node_modules/@holdfast/server/dist/data-plane/dist/main.mjs'), 'new');
  expect(await readFile((await installPackedServer(project, state)) ?? '', 'utf8')).toBe('new');
});

test.each(['node_modules', 'node_modules/@holdfast/server/node_modules'])(
  'a dependency in %s is found, and one of another machine is left out',
  async (modules) => {
    const main = (await installPackedServer(await projectWith('', { modules }), join(folder, 'state'))) ?? '';
    expect(await readdir(join(dirname(main), '../../node_modules/@postgres'))).toEqual(['here']);
  },
);
