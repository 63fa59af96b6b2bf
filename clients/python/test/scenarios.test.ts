import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createInstallation, type Installation } from '../../../data-plane/test/support/installation.ts';
import { startRestartable } from './support/control.ts';
import { clientPython, packageFolder, runPython } from './support/python-environment.ts';

const table = join(packageFolder, '../../specs/scenarios.json');
const { scenarios } = JSON.parse(await readFile(table, 'utf8')) as { scenarios: { title: string }[] };

let installation: Installation;
let holdfast: Awaited<ReturnType<typeof startRestartable>>;
let python: string;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-client-'));
  python = await clientPython();
  installation = await createInstallation();
  holdfast = await startRestartable(installation);
  for (const half of ['asynchronous', 'synchronous'])
    await cp(join(packageFolder, 'test/shared'), join(folder, half), { recursive: true });
  await runPython(python, ['generate/sync.py', join(folder, 'asynchronous'), join(folder, 'synchronous')]);
}, 300_000);

afterAll(async () => {
  await holdfast?.[Symbol.asyncDispose]();
  await installation?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

describe.each(['synchronous', 'asynchronous'])('the %s package', (half) => {
  test.each(scenarios)('$title', { timeout: 120_000 }, async ({ title }) => {
    const output = await runPython(python, ['perform.py', table, title], {
      cwd: join(folder, half),
      env: {
        HOLDFAST_URL: holdfast.url,
        CONTROL_URL: holdfast.controlUrl,
        PYTHONPATH: join(packageFolder, 'src'),
      },
    });
    expect(output).toBe('performed\n');
  });
});
