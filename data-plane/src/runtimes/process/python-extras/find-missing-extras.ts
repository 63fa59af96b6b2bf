import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Finds modules without loading them. The first line names the interpreter's binary interface, which packages with C code depend on. */
const program = `
import sys, sysconfig
from importlib.util import find_spec
print(sysconfig.get_config_var('SOABI') or sys.implementation.cache_tag)
print(*[name for name in sys.argv[1:] if not find_spec(name)])
`;
const extras = ['IPython', 'matplotlib_inline', 'cloudpickle'];

export type MissingExtras = { abi: string; hasPip: boolean };

/**
 * Null if this Python has the extra packages itself, as seen from a kernel: with the packages of the user whose home is in `env`.
 * @throws Error if the interpreter does not answer
 */
export async function findMissingExtras(python: string, env: Record<string, string>): Promise<MissingExtras | null> {
  // Not in our own directory, whose modules would be found first.
  const options = { env, cwd: '/', timeout: 10_000, killSignal: 'SIGKILL' } as const;
  const { stdout } = await run(python, ['-c', program, 'pip', ...extras], options).catch((cause) => {
    throw new Error('it cannot look for its packages', { cause });
  });
  const [abi = '', missing = ''] = stdout.split('\n');
  if (!/^[\w.+-]{1,100}$/.test(abi)) throw new Error('it does not tell its binary interface');
  const names = missing.split(' ');
  return extras.some((name) => names.includes(name)) ? { abi, hasPip: !names.includes('pip') } : null;
}
