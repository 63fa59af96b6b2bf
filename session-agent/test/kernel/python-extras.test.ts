import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { kernelConfig, openKernel, openZygote } from '../support/open-kernel.ts';
import { type PythonWithLibrary, pythonWithLibrary } from '../support/python-with-library.ts';
import { until } from '../support/until.ts';

let library: PythonWithLibrary;
let folder: string;
beforeAll(async () => {
  library = await pythonWithLibrary();
  folder = mkdtempSync(join(tmpdir(), 'holdfast-test-'));
});
afterAll(() => {
  library?.[Symbol.dispose]();
  rmSync(folder, { recursive: true });
});

/** An empty folder of extra packages. `fill` replaces it as a whole, as an installation does. */
function emptyExtras(name: string) {
  const extras = join(folder, name);
  mkdirSync(extras);
  const fill = (modules: Record<string, string>) => {
    const draft = mkdtempSync(join(folder, 'draft-'));
    for (const [module, source] of Object.entries(modules)) writeFileSync(join(draft, `${module}.py`), source);
    renameSync(draft, extras);
  };
  return { extras, fill };
}

test('a kernel finds extra packages as soon as they are there, after its own', async () => {
  const { extras, fill } = emptyExtras('late');
  await using kernel = await openKernel('python', { config: { python: library.python, pythonExtras: extras } });
  expect((await kernel.run('import extra')).error?.name).toBe('ModuleNotFoundError');
  fill({ extra: 'where = "extras"', counted: 'where = "extras"' });
  expect((await kernel.run('import extra; extra.where')).shown).toBe("'extras'");
  expect((await kernel.run('import counted; hasattr(counted, "where")')).shown).toBe('False');
  expect((await kernel.run('import sys; (sys.path[0], sys.path[-1], sys.argv)')).shown).toBe(`('', '${extras}', [''])`);
});

test('a zygote preloads extra packages, and is replaced once they are there', async () => {
  const { extras, fill } = emptyExtras('preloaded');
  const config = { ...(await kernelConfig()), python: library.python, pythonExtras: extras };
  const zygote = await openZygote(config, ['extra']);
  try {
    fill({ extra: 'import os\nloaded_by = os.getpid()' });
    const open = () => openKernel('python', { cwd: library.empty, config: { ...config, zygote } });
    const loadedHere = 'import extra, os; (extra.loaded_by == os.getpid())';
    await using stale = await open();
    expect((await stale.run(loadedHere)).shown).toBe('True');
    await until('a new zygote', zygote.isWarm, 20_000);
    await using forked = await open();
    expect((await forked.run(loadedHere)).shown).toBe('False');
    expect((await forked.run('import sys; (sys.path[0], sys.path[-1])')).shown).toBe(`('', '${extras}')`);
  } finally {
    zygote.end();
  }
});
