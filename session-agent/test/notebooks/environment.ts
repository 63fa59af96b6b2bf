import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { findPython } from '../../src/kernel-process/start/find-python.ts';

export type NotebookEnvironment = {
  /** An interpreter with the stock kernel and the libraries of the corpus. */
  python: string;
  /** The search path of both kernels. It begins with the interpreter's folder. */
  path: string;
};

export const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'holdfast-tests');

/** Makes a Python environment from `requirements.txt`, once for each machine, version of Python and contents of the file. */
export async function notebookEnvironment(): Promise<NotebookEnvironment> {
  const path = process.env.PATH ?? '/usr/bin:/bin';
  const python = await findPython(path, process.env.HOLDFAST_TEST_PYTHON);
  const requirements = join(import.meta.dirname, 'requirements.txt');
  const { stdout: version } = spawnSync(python, ['-VV']);
  const key = createHash('sha256').update(python).update(version).update(readFileSync(requirements)).digest('hex');
  const folder = join(cache, `python-${key.slice(0, 12)}`);
  makeOnce(
    folder,
    `"${python}" -m venv --clear "${folder}" && "${folder}/bin/python" -m pip install --quiet --requirement "${requirements}"`,
  );
  return { python: join(folder, 'bin/python'), path: `${join(folder, 'bin')}:${path}` };
}

/** Unpacks a source package that its version and digest name, and returns its folder. */
export function sourcePackage({ python }: NotebookEnvironment, wanted: { name: string; sha256: string }): string {
  const folder = join(cache, wanted.sha256.slice(0, 12));
  makeOnce(
    folder,
    `rm -rf "${folder}" && mkdir "${folder}" && cd "${folder}"
     "${python}" -m unearth --no-binary --download . "${wanted.name}" >/dev/null
     echo "${wanted.sha256} " *.tar.gz | sha256sum --check --quiet
     tar --extract --strip-components 1 --file *.tar.gz`,
  );
  return folder;
}

/** Runs a shell script that makes a folder unless it has succeeded before. Processes that need the same folder wait for the first. */
export function makeOnce(folder: string, script: string): void {
  mkdirSync(cache, { recursive: true });
  const once = `set -e; test -e "${folder}.made" || { ${script}\ntouch "${folder}.made"; }`;
  const made = spawnSync('flock', [`${folder}.lock`, 'sh', '-c', once], { encoding: 'utf8' });
  if (made.status !== 0) throw new Error(`could not make ${folder}: ${made.stderr}`);
}
