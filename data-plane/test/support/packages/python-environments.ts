import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findPython } from '../../../src/runtimes/process/find-python.ts';

const run = promisify(execFile);
const { PATH: path = '', HOME: home = '' } = process.env;

/** A virtual environment without packages of its own, with pip or without; returns its interpreter. */
export async function createPython(folder: string, { pip }: { pip: boolean }): Promise<string> {
  const { python } = await findPython({ wanted: null, path, home });
  await run(String(python), ['-m', 'venv', ...(pip ? [] : ['--without-pip']), folder]);
  return join(folder, 'bin/python3');
}

const makeWheel = `
import sys, zipfile
path, name, modules = sys.argv[1], sys.argv[2], sys.argv[3:]
info = name + '-1.0.dist-info/'
files = {module + '.py': 'found = __file__' for module in modules}
files[info + 'METADATA'] = f'Metadata-Version: 2.1\\nName: {name}\\nVersion: 1.0\\n'
files[info + 'WHEEL'] = 'Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n'
with zipfile.ZipFile(path, 'w') as wheel:
    for file, text in files.items():
        wheel.writestr(file, text)
    wheel.writestr(info + 'RECORD', ''.join(f'{file},,\\n' for file in files))
`;

/** A wheel with these modules, in which `found` is the module's file. Returns its path and the line of requirements that pins it. */
export async function createWheel(
  python: string,
  { folder, name, modules }: { folder: string; name: string; modules: readonly string[] },
): Promise<{ wheel: string; requirement: string }> {
  await mkdir(folder, { recursive: true });
  const wheel = join(folder, `${name}-1.0-py3-none-any.whl`);
  await run(python, ['-c', makeWheel, wheel, name, ...modules]);
  const sha256 = createHash('sha256')
    .update(await readFile(wheel))
    .digest('hex');
  return { wheel, requirement: `${name}==1.0 --hash=sha256:${sha256}\n` };
}

/** The wheel that stands for the extra packages, and a file that requires it. */
export async function createExtras(python: string, folder: string) {
  const { requirement } = await createWheel(python, {
    folder,
    name: 'extras',
    modules: ['IPython', 'matplotlib_inline', 'cloudpickle'],
  });
  const requirements = join(folder, 'requirements.txt');
  await writeFile(requirements, requirement);
  return { requirements, env: { PATH: path, HOME: folder, PIP_NO_INDEX: '1', PIP_FIND_LINKS: folder } };
}
