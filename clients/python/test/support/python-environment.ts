import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findPython } from '../../../../session-agent/src/kernel-process/start/find-python.ts';
import { cache, makeOnce } from '../../../../session-agent/test/notebooks/environment.ts';

const run = promisify(execFile);
export const packageFolder = join(import.meta.dirname, '../..');

/** The interpreter that the tests use, without packages of its own. */
export const plainPython = () => findPython(process.env.PATH ?? '/usr/bin:/bin', process.env.HOLDFAST_TEST_PYTHON);

/** A virtual environment with what the package and its tests need, made once for each interpreter and list of requirements. */
export const clientPython = () => pythonWith('test/requirements.txt');

/** The same with the frameworks of the adapters, or null if the interpreter is older than they allow. */
export async function adapterPython(): Promise<string | null> {
  const newEnough = 'import sys; sys.exit(sys.version_info < (3, 11))';
  const isNewEnough = await run(await plainPython(), ['-c', newEnough]).then(
    () => true,
    () => false,
  );
  return isNewEnough ? await pythonWith('test/requirements-adapters.txt') : null;
}

async function pythonWith(list: string): Promise<string> {
  const python = await plainPython();
  const requirements = join(packageFolder, list);
  const { stdout: version } = await run(python, ['-VV']);
  const key = createHash('sha256').update(python).update(version).update(readFileSync(requirements)).digest('hex');
  const folder = join(cache, `client-${key.slice(0, 12)}`);
  makeOnce(
    folder,
    `"${python}" -m venv --clear "${folder}" && "${folder}/bin/python" -m pip install --quiet --requirement "${requirements}"`,
  );
  return join(folder, 'bin/python');
}

/** Runs a Python program to its end. A program that fails is an error with all that it wrote. */
export async function runPython(
  python: string,
  args: readonly string[],
  { cwd = packageFolder, env = {} }: { cwd?: string; env?: Record<string, string> } = {},
): Promise<string> {
  const { PATH = '', HOME = '' } = process.env;
  const options = {
    cwd,
    env: { PATH, HOME, PYTHONDONTWRITEBYTECODE: '1', ...env },
    maxBuffer: 16 * 1024 * 1024,
  };
  return await run(python, args, options).then(
    ({ stdout, stderr }) => stdout + stderr,
    ({ stdout, stderr }) => {
      throw new Error(`${stdout}\n${stderr}`);
    },
  );
}
