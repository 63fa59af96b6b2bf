import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);
const wantedDefault = 'python3';

/**
 * Finds the real Python interpreter behind a name: version managers put a slow script in front of it.
 * `path` is the PATH to search; `wanted` is a name or an absolute path.
 * @throws Error that names the interpreter if it is missing or older than 3.9
 */
export async function findPython(path: string, wanted: string = wantedDefault): Promise<string> {
  const program = 'import sys; print(sys.executable); assert sys.version_info >= (3, 9), sys.version';
  try {
    const { stdout } = await run(wanted, ['-S', '-E', '-c', program], { env: { PATH: path }, timeout: 10_000 });
    return stdout.trim();
  } catch (cause) {
    throw new Error(`'${wanted}' is not a Python of version 3.9 or later`, { cause });
  }
}
