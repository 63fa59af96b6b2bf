import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { bunFolder, findLanguages } from '../../src/runtimes/process/find-languages.ts';

const { PATH = '', HOME: home = '' } = process.env;
let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'holdfast-languages-'));
});
afterEach(() => rm(directory, { recursive: true }));

/** Puts a program on the path that exits with this code. */
async function program(name: string, exitCode: number): Promise<void> {
  const file = join(directory, name);
  await writeFile(file, `#!/bin/sh\nexit ${exitCode}\n`);
  await chmod(file, 0o755);
}

test('lists Node always, and Python if one was found', async () => {
  expect(await findLanguages({ hasPython: false, path: directory, home })).toEqual(['node']);
  expect(await findLanguages({ hasPython: true, path: directory, home })).toEqual(['python', 'node']);
});

test('lists bash and Ruby if the interpreters on the path are usable, and not if they refuse', async () => {
  await program('bash', 1);
  await program('ruby', 0);
  expect(await findLanguages({ hasPython: false, path: directory, home })).toEqual(['node', 'ruby']);
  await program('bash', 0);
  await program('ruby', 1);
  expect(await findLanguages({ hasPython: false, path: directory, home })).toEqual(['node', 'bash']);
});

test('lists bun if npm has installed it beside the agent', async () => {
  const agentMain = fileURLToPath(new URL('../../../session-agent/src/main.ts', import.meta.url));
  const path = bunFolder(agentMain);
  expect(path).not.toBeNull();
  expect(await findLanguages({ hasPython: false, path: path ?? '', home })).toEqual(['node', 'bun']);
  expect(bunFolder(join(directory, 'main.js'))).toBeNull();
});

test("accepts this machine's own bash", async () => {
  expect(await findLanguages({ hasPython: false, path: PATH, home })).toContain('bash');
});
