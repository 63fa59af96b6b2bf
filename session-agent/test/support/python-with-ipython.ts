import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cache, makeOnce } from '../notebooks/environment.ts';

const requirements = join(import.meta.dirname, '../../src/languages/python/extras-requirements.txt');

/**
 * Returns an interpreter that has the libraries of the interpreter `python`, and IPython as `npm start` installs it. It is made once for each
 * machine, version of Python and list of requirements.
 * @throws Error if pip cannot install it
 */
export function pythonWithIPython(python: string): string {
  const version = execFileSync(python, ['-VV']);
  const key = createHash('sha256').update(python).update(version).update(readFileSync(requirements)).digest('hex');
  const folder = join(cache, `ipython-${key.slice(0, 12)}`);
  const options = '--quiet --disable-pip-version-check --no-deps --ignore-installed --require-hashes';
  makeOnce(
    folder,
    `"${python}" -m venv --clear --system-site-packages "${folder}"
     "${folder}/bin/python3" -m pip install ${options} --requirement "${requirements}"`,
  );
  return join(folder, 'bin/python3');
}
