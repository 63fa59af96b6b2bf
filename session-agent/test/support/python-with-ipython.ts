import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const requirements = join(import.meta.dirname, '../../src/languages/python/extras-requirements.txt');

/**
 * Returns an interpreter that has the libraries of the interpreter `python`, and IPython as `npm start` installs it. It is made once and
 * stays in the folder for temporary files.
 * @throws Error if pip cannot install it
 */
export function pythonWithIPython(python: string): string {
  const name = createHash('sha256').update(python).update(readFileSync(requirements)).digest('hex').slice(0, 12);
  const folder = join(tmpdir(), `holdfast-test-ipython-${name}`);
  if (!existsSync(folder)) install(python, folder);
  return join(folder, 'bin/python3');
}

function install(python: string, folder: string): void {
  const draft = mkdtempSync(join(tmpdir(), 'holdfast-test-'));
  try {
    run(python, '-m', 'venv', '--system-site-packages', draft);
    // Not by `bin/pip`, which names the folder that the environment is made in.
    const options = ['--quiet', '--disable-pip-version-check', '--no-deps', '--ignore-installed', '--require-hashes'];
    run(join(draft, 'bin/python3'), '-m', 'pip', 'install', ...options, '-r', requirements);
    renameSync(draft, folder);
  } catch (error) {
    rmSync(draft, { recursive: true });
    // Another test may have made it meanwhile.
    if (!existsSync(folder)) throw error;
  }
}

function run(program: string, ...args: string[]): void {
  const { status, stderr } = spawnSync(program, args, { encoding: 'utf8', timeout: 300_000 });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} has failed: ${stderr}`);
}
