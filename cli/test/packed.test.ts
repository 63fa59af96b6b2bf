import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createInstallation, type Installation } from '../../data-plane/test/support/installation.ts';

const run = promisify(execFile);

let installation: Installation;
let folder: string;
let env: NodeJS.ProcessEnv;

/** Packs a package as npm would publish it, and installs it into a folder, which has nothing else. */
async function install(name: string, into: string): Promise<void> {
  const source = join(import.meta.dirname, '../..', name);
  await run('npm', ['pack', '--pack-destination', into], { cwd: source, maxBuffer: 16 * 1024 * 1024 });
  const archives = (await readdir(into)).filter((file) => file.endsWith('.tgz')).map((file) => `./${file}`);
  await writeFile(join(into, 'package.json'), '{"private": true}');
  await run('npm', ['install', '--offline', '--omit=optional', '--no-audit', '--no-fund', ...archives], { cwd: into });
}

beforeAll(async () => {
  installation = await createInstallation();
  const { url } = await installation.start();
  folder = await mkdtemp(join(tmpdir(), 'holdfast-cli-packed-'));
  // Another `node` of the path, such as that of a package manager, may make the packages of this checkout known.
  env = { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, HOME: folder, HOLDFAST_URL: url };
  await install('cli', folder);
}, 180_000);

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await installation[Symbol.asyncDispose]();
});

test('one command runs the first step, from the packed package in an empty directory', async () => {
  const { stdout, stderr } = await run('npx', ['holdfast', 'run', '-c', '6*7'], { cwd: folder, env });
  expect([stdout, stderr]).toEqual(['42\n', '']);
}, 60_000);

test('the package needs no other one, and has the licenses of what is in it', async () => {
  expect(await readdir(join(folder, 'node_modules'))).toEqual(['.bin', '.package-lock.json', '@holdfast']);
  const files = await readdir(join(folder, 'node_modules/@holdfast/cli'), { recursive: true });
  expect(files).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'dist/LICENSES.txt', 'dist/main.js']));
});

test('without a server, `up` says how to install one', async () => {
  const ended = run('npx', ['holdfast', 'up'], { cwd: folder, env });
  await expect(ended).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('npm install --global @holdfast/server'),
  });
}, 60_000);

test('`up` starts the packed server, and stops it', async () => {
  await using fresh = await createInstallation();
  const other = join(folder, 'with-server');
  await mkdir(other);
  await install('server', other);
  const main = join(folder, 'node_modules/@holdfast/cli/dist/main.js');
  const up = spawn(process.execPath, [main, 'up', '--data-dir', fresh.dataDir], {
    cwd: other,
    env: { ...env, DATABASE_URL: fresh.database.url, HOLDFAST_PORT: '0', HOLDFAST_PYTHON_EXTRAS: 'none' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(up, 'exit');
  let url: string | undefined;
  for await (const line of createInterface(up.stdout)) {
    url = /ready on (http:\S+)/.exec(line)?.[1];
    if (url) break;
  }
  up.stdout.resume();
  const { stdout } = await run(process.execPath, [main, '--url', url ?? '', 'run', '-c', '6*7'], { env });
  expect(stdout).toBe('42\n');
  up.kill('SIGTERM');
  expect(await exited).toEqual([0, null]);
  expect(await readdir(join(folder, '.local/state/holdfast'))).toEqual([
    expect.stringMatching(/^server-0\.1\.0-[0-9a-f]{12}$/),
  ]);
}, 180_000);

test('in a checkout, `up` does the same as `npm start`, and passes the exit code on', async () => {
  const checkout = join(folder, 'checkout');
  await mkdir(join(checkout, 'data-plane/src'), { recursive: true });
  await writeFile(join(checkout, 'data-plane/src/main.ts'), '');
  const start = 'echo "$HOLDFAST_PORT $HOLDFAST_DATA_DIR"; exit 9';
  await writeFile(join(checkout, 'package.json'), JSON.stringify({ name: 'holdfast', scripts: { start } }));
  const main = join(folder, 'node_modules/@holdfast/cli/dist/main.js');
  const ended = run(process.execPath, [main, 'up', '--port', '9000', '--data-dir', 'data'], {
    cwd: join(checkout, 'data-plane'),
    env,
  });
  await expect(ended).rejects.toMatchObject({ code: 9, stdout: `9000 ${join(checkout, 'data-plane/data')}\n` });
}, 60_000);

test('a SIGINT that is sent to `up` alone reaches the server', async () => {
  const checkout = join(folder, 'interrupted');
  await mkdir(join(checkout, 'data-plane/src'), { recursive: true });
  await writeFile(join(checkout, 'data-plane/src/main.ts'), '');
  await writeFile(
    join(checkout, 'serve.mjs'),
    "process.on('SIGINT', () => process.exit(7)); console.log('serves'); setInterval(() => {}, 60_000);",
  );
  await writeFile(
    join(checkout, 'package.json'),
    JSON.stringify({ name: 'holdfast', scripts: { start: 'exec node serve.mjs' } }),
  );
  const main = join(folder, 'node_modules/@holdfast/cli/dist/main.js');
  const up = spawn(process.execPath, [main, 'up'], { cwd: checkout, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(up, 'exit');
  expect(String((await once(up.stdout, 'data'))[0])).toBe('serves\n');
  up.kill('SIGINT');
  expect(await exited).toEqual([7, null]);
}, 60_000);

test('every command has a description, and help with an example', async () => {
  const main = join(folder, 'node_modules/@holdfast/cli/dist/main.js');
  const holdfast = async (...args: string[]) => (await run(process.execPath, [main, ...args], { env })).stdout;
  const commands = (await holdfast('complete', '--', ''))
    .trim()
    .split('\n')
    .filter((name) => name !== 'help');
  expect(commands.length).toBeGreaterThan(15);
  const helps = await Promise.all(commands.map((command) => holdfast(command, '--help')));
  expect(helps.filter((help) => !/\n\n[a-z][^\n]+\n[\s\S]*\nExamples?:\n {2}\$ .*holdfast/.test(help))).toEqual([]);
}, 60_000);

test('bash completes commands, options and values', async () => {
  const bin = join(folder, 'node_modules/.bin');
  const complete = async (...words: string[]) => {
    const script = `source <(holdfast completion bash)
COMP_WORDS=(holdfast "$@") COMP_CWORD=$#
_holdfast
echo "\${COMPREPLY[*]}"`;
    const { stdout } = await run('bash', ['-c', script, 'bash', ...words], {
      env: { ...env, PATH: `${bin}:${env.PATH}` },
    });
    return stdout.trim();
  };
  expect(await complete('sess')).toBe('sessions');
  expect(await complete('sessions', 'cre')).toBe('create');
  expect(await complete('run', '--ke')).toBe('--keep');
  expect(await complete('sessions', '-o', 'ya')).toBe('yaml');
}, 60_000);
