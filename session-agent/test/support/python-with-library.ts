import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { kernelConfig } from './open-kernel.ts';

export type PythonWithLibrary = {
  /** The interpreter. */
  python: string;
  /** The folder of its packages. */
  packages: string;
  /** An empty working directory. */
  empty: string;
  /** Writes a module with this source to the packages. */
  install: (name: string, source: string) => void;
  [Symbol.dispose]: () => void;
};

/** Creates a Python environment whose only library `counted` records the process that loaded it. */
export async function pythonWithLibrary(): Promise<PythonWithLibrary> {
  const folder = mkdtempSync('/tmp/holdfast-test-');
  const made = spawnSync((await kernelConfig()).python, ['-m', 'venv', '--without-pip', join(folder, 'venv')]);
  if (made.status !== 0) throw new Error(`no environment: ${made.stderr}`);
  const python = join(folder, 'venv/bin/python3');
  const { stdout } = spawnSync(python, ['-c', 'import site; print(site.getsitepackages()[0], end="")']);
  const packages = String(stdout);
  const install = (name: string, source: string) => writeFileSync(join(packages, `${name}.py`), source);
  install('counted', 'import os\nloaded_by = os.getpid()\n');
  const empty = mkdtempSync(join(folder, 'empty-'));
  return { python, packages, empty, install, [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
}
