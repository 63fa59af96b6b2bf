import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startRestartable } from '../../../data-plane/test/restartable/start-restartable.ts';
import { clientPython, packageFolder, runPython } from './support/python-environment.ts';
import { startControl } from './support/start-control.ts';

let server: Awaited<ReturnType<typeof startRestartable>>;
let control: Awaited<ReturnType<typeof startControl>>;
let python: string;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-client-'));
  python = await clientPython();
  server = await startRestartable();
  control = await startControl(server);
}, 300_000);

afterAll(async () => {
  await control?.[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

// The first runs in the shell of IPython, the second in a kernel of Jupyter.
test.each(['notebook', 'jupyter'])('passes the tests of test_%s.py', { timeout: 300_000 }, async (name) => {
  const output = await runPython(python, ['-m', 'unittest', '-v', `test_${name}`], {
    cwd: join(packageFolder, 'test/notebook'),
    env: {
      HOLDFAST_URL: server.url,
      CONTROL_URL: control.url,
      PYTHONPATH: join(packageFolder, 'src'),
      IPYTHONDIR: join(folder, 'ipython'),
      JUPYTER_RUNTIME_DIR: join(folder, 'jupyter'),
    },
  });
  expect(output).toMatch(/\nRan [1-9]\d* tests? in .*\n\nOK\n$/);
});
