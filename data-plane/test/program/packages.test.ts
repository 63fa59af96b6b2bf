import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import { createPython } from '../support/packages/python-environments.ts';
import { startRegistry } from '../support/packages/start-registry.ts';
import type { Holdfast } from '../support/start-holdfast.ts';

let installation: Installation;
let registry: Awaited<ReturnType<typeof startRegistry>>;
/** A project in which the data directory is, as in `npm start`. */
let checkout: string;
let env: Record<string, string>;
let holdfast: Holdfast;

beforeAll(async () => {
  installation = await createInstallation();
  const folder = installation.dataDir;
  checkout = join(folder, 'checkout');
  const home = join(folder, 'home');
  const python = await createPython(join(folder, 'python'), { pip: true });
  registry = await startRegistry({ python, folder: join(folder, 'registry') });
  for (const path of [checkout, home]) await mkdir(path);
  await writeFile(join(checkout, 'package.json'), '{"type": "module"}');
  await writeFile(join(home, '.npmrc'), `registry=${registry.npm}\naudit=false\n`);
  env = {
    HOME: home,
    HOLDFAST_DATA_DIR: join(checkout, '.holdfast'),
    HOLDFAST_PYTHON: python,
    PIP_INDEX_URL: registry.pip,
    npm_config_local_prefix: checkout,
  };
  holdfast = await installation.start(env);
}, 120_000);
afterAll(async () => {
  registry?.close();
  await installation[Symbol.asyncDispose]();
});

test('npm installs a package from the registry of this machine, and the next step imports it', async () => {
  const { id } = await holdfast.createSession();
  const node = (code: string) => holdfast.runStep(id, { language: 'node', code });
  for (const code of ['require("registered")', 'await import("registered")']) {
    expect((await node(code)).error?.traceback.join()).toContain('MODULE_NOT_FOUND');
  }
  const installed = await holdfast.runStep(id, { language: 'bash', code: 'npm install registered && ls node_modules' });
  expect(installed).toMatchObject({ status: 'succeeded', stdout: expect.stringContaining('registered\n') });
  expect(await node('require("registered").from')).toMatchObject({
    results: [{ data: { 'text/plain': "'registry'" } }],
  });
  const imported = await node('import { from } from "registered"; from');
  expect(imported).toMatchObject({ results: [{ data: { 'text/plain': "'registry'" } }] });
  expect(await readdir(checkout)).toEqual(['.holdfast', 'package.json']);
});

test('a file of the workspace is not a module of the project around the data directory', async () => {
  const { id } = await holdfast.createSession();
  const code = 'echo "console.log(typeof module, module.paths.length > 0)" >plain.js; node plain.js';
  expect((await holdfast.runStep(id, { language: 'bash', code })).stdout).toBe('object true\n');
});

test('pip installs a package from the index of this machine, and the next step imports it', async () => {
  const { id } = await holdfast.createSession();
  expect((await holdfast.runStep(id, { code: 'import registered' })).error?.name).toBe('ModuleNotFoundError');
  const code = `import subprocess, sys
subprocess.run([sys.executable, '-m', 'pip', 'install', '--quiet', 'registered'], check=True)`;
  expect(await holdfast.runStep(id, { code })).toMatchObject({ status: 'succeeded' });
  const imported = await holdfast.runStep(id, { code: 'import registered; registered.found' });
  expect(imported.results[0]?.data['text/plain']).toContain('registered.py');
});

test("in a shell, pip is that of the virtual environment of the kernels' Python", async () => {
  const { id } = await holdfast.createSession();
  const { stdout } = await holdfast.runStep(id, { language: 'bash', code: 'command -v pip' });
  expect(stdout).toBe(`${join(installation.dataDir, 'python/bin/pip')}\n`);
});

test("the settings of this machine's registries can be kept from sandboxes", async () => {
  await holdfast.stop();
  const without = await installation.start({
    ...env,
    HOLDFAST_REGISTRY_SETTINGS: 'none',
    HOLDFAST_PYTHON_EXTRAS: 'install',
  });
  const { id } = await without.createSession();
  const code = 'npm config get registry userconfig; echo "<$PIP_INDEX_URL>"';
  const { stdout } = await without.runStep(id, { language: 'bash', code });
  expect(stdout).toContain('userconfig=/dev/null\n<>\n');
  expect(stdout).not.toContain(registry.npm);
  // The registry has no IPython. The start and its sessions do without.
  await eventually(() => expect(without.output.join('\n')).toMatch(/lacks IPython.*No matching distribution/));
}, 60_000);
