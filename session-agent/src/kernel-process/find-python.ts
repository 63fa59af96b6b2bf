import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);
const wantedDefault = 'python3';

/**
 * The real Python interpreter behind a name: version managers put a slow script in its place.
 * `path` is a PATH to look in; `wanted` is a name or an absolute path.
 * @throws Error naming the interpreter where there is none or it is older than 3.9.
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
