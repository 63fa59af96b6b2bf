import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { kernelConfig, openKernel } from '../support/open-kernel.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'holdfast-test-'));
});
afterEach(() => rmSync(home, { recursive: true }));

/** Installs a module as `pip install --user` does for a user who has no packages yet. */
async function installForUser(name: string): Promise<string> {
  const { python } = await kernelConfig();
  const packages = execFileSync(python, ['-m', 'site', '--user-site'], {
    env: { HOME: home },
    encoding: 'utf8',
  }).trim();
  mkdirSync(packages, { recursive: true });
  writeFileSync(join(packages, `${name}.py`), '');
  return packages;
}

test.for([undefined, ['json']])(
  'a kernel finds the first package that a step installs for its user: zygote %j',
  async (zygote) => {
    await using kernel = await openKernel('python', { config: { home }, zygote });
    expect((await kernel.run('import first')).error?.name).toBe('ModuleNotFoundError');
    const packages = await installForUser('first');
    expect((await kernel.run('import first; first.__file__')).shown).toBe(`'${packages}/first.py'`);
    await installForUser('second');
    expect((await kernel.run('import importlib; importlib.invalidate_caches(); import second')).error).toBeUndefined();
    const places = `import sys; [path.endswith('-packages') for path in sys.path].index(True) == sys.path.index('${packages}')`;
    expect((await kernel.run(places)).shown).toBe('True');
  },
);

test('a kernel that is told to leave out the packages of its user leaves them out', async () => {
  await using kernel = await openKernel('python', { config: { home }, env: { PYTHONNOUSERSITE: '1' } });
  await installForUser('first');
  expect((await kernel.run('import first')).error?.name).toBe('ModuleNotFoundError');
});
