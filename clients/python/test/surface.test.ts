import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createInstallation, type Installation } from '../../../data-plane/test/support/installation.ts';
import { clientPython, packageFolder, runPython } from './support/python-environment.ts';

let installation: Installation;
let url: string;
let python: string;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-client-'));
  python = await clientPython();
  installation = await createInstallation();
  ({ url } = await installation.start());
  // The tests are written once, as the package itself is.
  await cp(join(packageFolder, 'test/surface'), join(folder, 'asynchronous'), { recursive: true });
  await cp(join(packageFolder, 'test/surface'), join(folder, 'synchronous'), { recursive: true });
  await runPython(python, ['generate/sync.py', join(folder, 'asynchronous'), join(folder, 'synchronous')]);
}, 300_000);

afterAll(async () => {
  await installation?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

describe.each(['synchronous', 'asynchronous'])('the %s package', (half) => {
  test.each(['run', 'files', 'processes', 'session'])(
    'passes the tests of test_%s.py',
    async (name) => {
      const output = await runPython(python, ['-m', 'unittest', '-v', `test_${name}`], {
        cwd: join(folder, half),
        env: { HOLDFAST_URL: url, PYTHONPATH: join(packageFolder, 'src') },
      });
      expect(output).toMatch(/\nRan [1-9]\d* tests? in .*\n\nOK\n$/);
    },
    180_000,
  );
});
