import { execFile } from 'node:child_process';
import { access, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createInstallation, type Installation } from '../../../data-plane/test/support/installation.ts';

const run = promisify(execFile);
const client = join(import.meta.dirname, '..');

let installation: Installation;
let folder: string;

beforeAll(async () => {
  installation = await createInstallation();
  folder = await mkdtemp(join(tmpdir(), 'holdfast-sdk-'));
});

afterAll(async () => {
  await installation[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

/** Packs a package as npm would publish it, and answers the path of the archive. */
async function pack(source: string, ...options: string[]): Promise<string> {
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder, ...options], { cwd: source });
  return join(folder, JSON.parse(stdout.slice(stdout.indexOf('[')))[0].filename);
}

test('three lines run the first step, from the packed package in an empty directory', {
  timeout: 120_000,
}, async () => {
  const { url } = await installation.start();
  const dependency = await realpath(join(client, 'node_modules/openapi-fetch'));
  const archives = await Promise.all([
    pack(client),
    pack(dependency, '--ignore-scripts'),
    pack(await realpath(join(dependency, '../openapi-typescript-helpers')), '--ignore-scripts'),
  ]);
  await writeFile(join(folder, 'package.json'), '{"private": true, "type": "module"}');
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', ...archives], { cwd: folder });
  const readme = await readFile(join(client, 'README.md'), 'utf8');
  const program = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
  expect(
    program
      .trim()
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('import')),
  ).toHaveLength(3);
  expect(await readFile(join(folder, 'node_modules/@holdfast/sdk/LICENSE'), 'utf8')).toContain('Apache License');
  await writeFile(join(folder, 'first.js'), program);
  const { stdout } = await run('node', ['first.js'], { cwd: folder, env: { ...process.env, HOLDFAST_URL: url } });
  expect(stdout).toBe('42\n');
  const packed = join(folder, 'node_modules/@holdfast/sdk');
  const { exports } = JSON.parse(await readFile(join(packed, 'package.json'), 'utf8'));
  const files = Object.values<Record<string, string>>(exports).flatMap((targets) => Object.values(targets));
  expect(files).toHaveLength(8);
  for (const file of files) await access(join(packed, file));
});
