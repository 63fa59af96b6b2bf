import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
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
  // The tests are written once, as the package itself is.
  await cp(join(packageFolder, 'test/terminal'), join(folder, 'asynchronous'), { recursive: true });
  await cp(join(packageFolder, 'test/terminal'), join(folder, 'synchronous'), { recursive: true });
  await runPython(python, ['generate/sync.py', join(folder, 'asynchronous'), join(folder, 'synchronous')]);
}, 300_000);

afterAll(async () => {
  await control?.[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

test.each([
  ['synchronous', 'test_channel'],
  ['asynchronous', 'test_channel'],
  [join(packageFolder, 'test/together'), 'test_together'],
])('%s: passes the tests of %s.py', { timeout: 180_000 }, async (from, name) => {
  const output = await runPython(python, ['-m', 'unittest', '-v', name], {
    cwd: resolve(folder, from),
    env: { HOLDFAST_URL: server.url, CONTROL_URL: control.url, PYTHONPATH: join(packageFolder, 'src') },
  });
  expect(output).toMatch(/\nRan [1-9]\d* tests? in .*\n\nOK\n$/);
});
