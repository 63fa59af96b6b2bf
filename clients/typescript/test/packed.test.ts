import { execFile } from 'node:child_process';
import { access, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createInstallation, type Installation } from '../../../data-plane/test/support/installation.ts';

const run = promisify(execFile);
const client = join(import.meta.dirname, '..');
const compiler = join(client, 'node_modules/typescript/bin/tsc');

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

/** A program of a user's: a type that was lost would be `any`, and expect no error. */
const consumer = `
import { Holdfast, type StepEvent } from '@holdfast/sdk';
import { createSandbox as forAiSdk, createTools } from '@holdfast/sdk/ai-sdk';
import { createSandbox as forDeepAgents } from '@holdfast/sdk/deepagents';
import { createCodeInterpreter, createSandbox, createShell } from '@holdfast/sdk/openai-agents';
import { generateText } from 'ai';
import { createDeepAgent } from 'deepagents';
import { Agent, shellTool } from '@openai/agents';

export async function use(): Promise<StepEvent['type'][]> {
  await using session = await new Holdfast().sessions.create();
  new Agent({ name: 'A', tools: [createCodeInterpreter(session), shellTool({ shell: createShell(session) })] });
  createDeepAgent({ backend: await forDeepAgents(session) });
  await generateText({
    model: 'm',
    prompt: 'p',
    tools: createTools(session),
    experimental_sandbox: await forAiSdk(session),
  });
  const sandbox: { stop(): Promise<void> } = await createSandbox(session);
  await sandbox.stop();
  // @ts-expect-error: a text is not a session
  createTools('session');
  // @ts-expect-error: a text is not a session
  await forAiSdk('session');
  // @ts-expect-error: a text is not a session
  await forDeepAgents('session');
  // @ts-expect-error: a text is not a session
  await createSandbox('session');
  // @ts-expect-error: a number is not a status
  session.status = 1;
  return [];
}
`;

test('every entry of the package is imported, and has its types', { timeout: 120_000 }, async () => {
  const modules = join(folder, 'node_modules');
  await mkdir(join(modules, '@openai'), { recursive: true });
  for (const name of ['ai', 'deepagents', '@openai/agents'])
    await symlink(await realpath(join(client, 'node_modules', name)), join(modules, name));
  const { exports } = JSON.parse(await readFile(join(modules, '@holdfast/sdk/package.json'), 'utf8'));
  const entries = Object.keys(exports).map((entry) => `@holdfast/sdk${entry.slice(1)}`);
  await writeFile(
    join(folder, 'imports.js'),
    `for (const entry of ${JSON.stringify(entries)}) console.log(entry, Object.keys(await import(entry)).join());`,
  );
  const { stdout } = await run('node', ['imports.js'], { cwd: folder });
  expect(stdout.trim().split('\n')).toEqual([
    expect.stringMatching(/^@holdfast\/sdk Holdfast,/),
    '@holdfast/sdk/deepagents HoldfastSandbox,createSandbox',
    '@holdfast/sdk/ai-sdk createSandbox,createTools',
    '@holdfast/sdk/openai-agents createCodeInterpreter,createSandbox,createShell',
  ]);
  await writeFile(join(folder, 'consumer.ts'), consumer);
  const options = ['--strict', '--noEmit', '--skipLibCheck', '--target', 'es2022', '--lib', 'es2022,dom'];
  const check = (module: string, resolution: string) =>
    run(process.execPath, [compiler, ...options, '--module', module, '--moduleResolution', resolution, 'consumer.ts'], {
      cwd: folder,
    }).catch(({ stdout }) => expect(stdout).toBe(''));
  await check('nodenext', 'nodenext');
  await check('esnext', 'bundler');
});
