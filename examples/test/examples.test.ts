import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clientPython } from '../../clients/python/test/support/python-environment.ts';
import { eventually } from '../../data-plane/test/support/eventually.ts';
import { createInstallation, type Installation } from '../../data-plane/test/support/installation.ts';
import { notebookEnvironment } from '../../session-agent/test/notebooks/environment.ts';

const run = promisify(execFile);
const examples = join(import.meta.dirname, '..');
const client = join(examples, '../clients/typescript');

let installation: Installation;
let url: string;
let folder: string;
let python: string;

beforeAll(async () => {
  python = await clientPython();
  folder = await mkdtemp(join(tmpdir(), 'holdfast-examples-'));
  const environment = await notebookEnvironment();
  installation = await createInstallation();
  [{ url }] = await Promise.all([installation.start({ HOLDFAST_PYTHON: environment.python }), installClient()]);
}, 300_000);

afterAll(async () => {
  await installation[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

/** Builds the TypeScript client into the folder in which the examples run, as npm would install it there. */
async function installClient(): Promise<void> {
  const modules = join(folder, 'node_modules');
  const sdk = join(modules, '@holdfast/sdk');
  await mkdir(sdk, { recursive: true });
  const compiler = join(examples, '../node_modules/typescript/bin/tsc');
  await run(process.execPath, [compiler, '-p', 'tsconfig.build.json', '--outDir', join(sdk, 'dist')], { cwd: client });
  await cp(join(client, 'package.json'), join(sdk, 'package.json'));
  for (const name of ['openapi-fetch', 'ai']) {
    await symlink(await realpath(join(client, 'node_modules', name)), join(modules, name));
  }
  for (const name of await readdir(examples))
    if (/\.(ts|py|sh)$/.test(name)) await cp(join(examples, name), join(folder, name));
}

const start = (name: string) => {
  const [program, ...args] = name.endsWith('.ts')
    ? [process.execPath, name]
    : name.endsWith('.py')
      ? [python, name]
      : ['sh', name];
  const { PATH, HOME } = process.env;
  const env = {
    PATH,
    HOME,
    HOLDFAST_URL: url,
    PYTHONPATH: join(client, '../python/src'),
    PYTHONDONTWRITEBYTECODE: '1',
  };
  return spawn(program as string, args, { cwd: folder, env });
};

/** The output of an example that ends by itself, and with success. */
async function outputOf(name: string): Promise<string> {
  const child = start(name);
  const ended = once(child, 'close');
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  expect([await ended, withoutWarnings(stderr)]).toEqual([[0, null], '']);
  return stdout;
}

const withoutWarnings = (stderr: string) => stderr.replaceAll(/^\(.*\n/gm, '');

test('every example is one of ten, and a page long', async () => {
  const names = (await readdir(examples)).filter((name) => /\.(ts|py|sh)$/.test(name));
  expect(names).toHaveLength(10);
  for (const name of names) {
    expect((await readFile(join(examples, name), 'utf8')).trim().split('\n').length, name).toBeLessThanOrEqual(40);
    expect(await readFile(join(examples, 'README.md'), 'utf8')).toContain(`(${name})`);
  }
});

test('the first page of the README shows three of them as they are', async () => {
  const readme = await readFile(join(examples, '../README.md'), 'utf8');
  const shown = [...readme.matchAll(/```(?:ts|python)\n(.*?)```/gs)].slice(0, 3).map(([, program]) => program);
  const programs = ['stream.ts', 'two-people.py', 'preview.ts'].map((name) => readFile(join(examples, name), 'utf8'));
  expect(shown).toEqual(await Promise.all(programs));
});

test('chart.py analyses a table and stores its chart', { timeout: 120_000 }, async () => {
  const output = await outputOf('chart.py');
  expect(output).toMatch(/Bergen +287\nLisbon +19\n/);
  const image = await readFile(join(folder, 'rain.png'));
  expect(image.subarray(1, 4).toString()).toBe('PNG');
});

test('stream.ts shows output while the code runs, and stops it', async () => {
  const lines = (await outputOf('stream.ts')).trim().split('\n');
  expect(lines.slice(0, 5)).toEqual(['1 1', '2 4', '3 9', '4 16', '5 25']);
  expect(lines.at(-1)).toBe('interrupted');
  expect(lines.length).toBeLessThan(500);
});

test('two-people.py lets a guest work on the variables of the owner', async () => {
  const output = await outputOf('two-people.py');
  expect(output).toMatch(/^\{'tea': 2, 'coffee': 3\}\n1\. Ada: votes = .*\n2\. Grace: votes\['coffee'\] \+= 2\n/);
});

test('preview.ts gives a page an address that anyone with the link opens', async () => {
  const child = start('preview.ts');
  const ended = once(child, 'close');
  let said = '';
  child.stdout.on('data', (bytes) => {
    said += bytes;
  });
  const link = await eventually(() => new URL(/^open (\S+)\n/.exec(said)?.[1] ?? ''), 20_000);
  expect(await visit(link)).toContain('Served from a sandbox');
  expect(await ended).toEqual([0, null]);
  expect(said).toContain('seen the page');
});

test('review-proposals.ts takes over the change that the review accepts, and no other', async () => {
  const output = await outputOf('review-proposals.ts');
  expect(output).toMatch(/accepted prices\.csv\n/);
  expect(output).toMatch(/rejected README\.md\n/);
  expect(output).toMatch(/tea,5\ncoffee,4\n # Prices\n\n$/);
});

test('host-operation.ts answers the prompts of the code', async () => {
  const output = await outputOf('host-operation.ts');
  expect(output).toContain("{'Norway': 'Oslo', 'Atlantis': 'unknown'}");
});

test('variants.py finds the best of its variants, each in a fork', async () => {
  const output = await outputOf('variants.py');
  expect(output).toMatch(
    /^rate 0\.0001: loss [\d.]+\nrate 0\.001: loss [\d.]+\nrate 0\.003: loss 0\.0\nbest: \(3\.0, 1\.0\)\n$/,
  );
});

test('job-with-files.sh runs a program, and fetches the file that it wrote', async () => {
  expect(await outputOf('job-with-files.sh')).toBe('3 words\n\nthree 3\ntwo 2\n');
});

test('recovery.ts goes on in another sandbox with its files and variables', { timeout: 120_000 }, async () => {
  const output = await outputOf('recovery.ts');
  expect(output).toMatch(/^lost /);
  expect(output).toContain('mean: 19.95 | notes: measured on Monday');
  expect(output).toContain('lock');
});

test('agent.ts calls tools whose code keeps its state', async () => {
  const output = await outputOf('agent.ts');
  expect(output).toContain("text: '5.0'");
  expect(output).toMatch(/The mean is 5\.\n$/);
});

/** Not every machine resolves names below `localhost`, so the name travels in the header, and the cookie by hand. */
async function visit(link: URL, cookie = ''): Promise<string> {
  const options = {
    host: '127.0.0.1',
    port: link.port,
    path: `${link.pathname}${link.search}`,
    headers: { host: link.host, cookie },
  };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(options, resolve).on('error', reject).end();
  });
  const body = await text(response);
  const { location, 'set-cookie': cookies = [] } = response.headers;
  if (!location) return body;
  return await visit(new URL(location, link), cookies.map((one) => one.split(';')[0]).join('; '));
}
