import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runAndShow } from './run-and-show.ts';
import { type OnEngine, startOnEngine } from './start-on-engine.ts';

const env = { PIP_NO_INDEX: '1', npm_config_offline: 'true', https_proxy: 'http://proxy.example:3128' };
const profile = {
  name: 'python',
  image: 'localhost/holdfast/runtime-python:dev',
  languages: ['python', 'node', 'bash'],
  env,
};

let folder: string;
let on: OnEngine;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-e2e-'));
  const profiles = join(folder, 'profiles.json');
  await writeFile(profiles, JSON.stringify({ profiles: [profile] }));
  on = await startOnEngine({ HOLDFAST_PROFILES_FILE: profiles });
});
afterAll(async () => {
  await on?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

test('a package that npm installs is imported by the next step', async () => {
  const files = {
    'own/package.json': '{"name": "own", "version": "1.0.0", "bin": "main.cjs"}',
    'own/main.cjs': '#!/usr/bin/env node\nexports.from = "own"; console.log("run")',
  };
  const { id } = await on.holdfast.createSession({ language: 'bash', files });
  const code = 'npm install --install-links ./own && npm install --global --install-links ./own && own';
  const installed = await on.holdfast.runStep(id, { language: 'bash', code });
  expect(installed).toMatchObject({ status: 'succeeded', stdout: expect.stringMatching(/\nrun\n$/) });
  const imported = await on.holdfast.runStep(id, {
    language: 'node',
    code: 'import { from } from "own/main.cjs"; from',
  });
  expect(imported).toMatchObject({ results: [{ data: { 'text/plain': "'own'" } }] });
});

test('a package that pip installs is imported by the next step', async () => {
  const { id } = await on.holdfast.createSession();
  const install = `import subprocess, sys, zipfile
info = 'own-1.0.dist-info/'
with zipfile.ZipFile('own-1.0-py3-none-any.whl', 'w') as wheel:
    wheel.writestr('own.py', 'where = __file__')
    wheel.writestr(info + 'METADATA', 'Metadata-Version: 2.1\\nName: own\\nVersion: 1.0\\n')
    wheel.writestr(info + 'WHEEL', 'Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')
    wheel.writestr(info + 'RECORD', ''.join(f'{name},,\\n' for name in [*wheel.namelist(), info + 'RECORD']))
pip = subprocess.run([sys.executable, '-m', 'pip', 'install', './own-1.0-py3-none-any.whl'], capture_output=True, text=True)
show(pip.stdout[-30:] if pip.returncode == 0 else pip.stderr)`;
  expect(await runAndShow(on.holdfast, { id, code: install })).toMatch(/installed own-1\.0\s*$/);
  expect(await runAndShow(on.holdfast, { id, code: 'import own; show(own.where)' })).toMatch(/^\/tmp\/\.local\//);
});

test('the image contains IPython and the display of matplotlib in notebooks', async () => {
  const { id } = await on.holdfast.createSession();
  const code = `from importlib.metadata import version
from importlib.util import find_spec
show([version('ipython').split('.')[0], bool(find_spec('IPython.core.interactiveshell')), bool(find_spec('matplotlib_inline.backend_inline'))])`;
  expect(await runAndShow(on.holdfast, { id, code })).toEqual(['9', true, true]);
});

test("code has the variables of its profile, and a session's own override them", async () => {
  const { id } = await on.holdfast.createSession({ env: { https_proxy: '' } });
  const code = `import os; show([os.environ.get(name) for name in ${JSON.stringify(Object.keys(env))}])`;
  expect(await runAndShow(on.holdfast, { id, code })).toEqual(['1', 'true', '']);
});
