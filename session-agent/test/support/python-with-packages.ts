import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { kernelConfig } from './open-kernel.ts';

/** `missing` is the reason for which the packages could not be installed. */
export type PythonWithPackages = { python: string; missing: string | null };

/**
 * A Python environment with the pinned packages of `requirements/<name>.txt`. It is made once on a machine, in a folder named after the
 * requirements and the interpreter.
 */
export async function pythonWithPackages(name: 'widgets' | 'plots'): Promise<PythonWithPackages> {
  const base = (await kernelConfig()).python;
  const requirements = fileURLToPath(new URL(`requirements/${name}.txt`, import.meta.url));
  const key = createHash('sha256').update(base).update(readFileSync(requirements)).digest('hex').slice(0, 16);
  const folder = join(tmpdir(), 'holdfast-test-packages', `${name}-${key}`);
  const missing = existsSync(folder) ? null : make(base, requirements, folder);
  return { python: join(folder, 'bin/python3'), missing };
}

/** Makes the environment under another name first, so that a half-made one is never found. Returns why it could not be made. */
function make(base: string, requirements: string, folder: string): string | null {
  const draft = `${folder}.${process.pid}`;
  mkdirSync(draft, { recursive: true });
  const run = (python: string, ...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(python, args, { encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr.trim().split('\n').at(-1) ?? 'Python fails');
    return stdout;
  };
  try {
    run(base, '-m', 'venv', '--without-pip', draft);
    const packages = run(join(draft, 'bin/python3'), '-c', 'import site; print(site.getsitepackages()[0], end="")');
    const quietly = ['--quiet', '--disable-pip-version-check', '--no-deps'];
    run(base, '-m', 'pip', 'install', ...quietly, '--target', packages, '--requirement', requirements);
    if (!existsSync(folder)) renameSync(draft, folder);
    return null;
  } catch (error) {
    return `the packages cannot be installed: ${error instanceof Error ? error.message : error}`;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}
