import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createPython } from '../support/packages/python-environments.ts';

const run = promisify(execFile);

/** An interpreter that can save functions and classes, as `npm start` provides it. */
export async function pythonWithCloudpickle(folder: string): Promise<string> {
  const python = await createPython(join(folder, 'python'), { pip: true });
  await run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', 'cloudpickle==3.1.2']);
  return python;
}
