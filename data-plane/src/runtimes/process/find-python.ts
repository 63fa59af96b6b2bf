import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Python 2 can run it as well. */
const program = 'import sys; print("%d.%d %s" % (sys.version_info[0], sys.version_info[1], sys.executable))';

type Wanted = {
  /** A name or a path; null means the `python3` on the path. */
  wanted: string | null;
  path: string;
  home: string;
};

/** `python` is the absolute path of the interpreter itself, not of a version manager's script; null, with the fault, if none is usable. */
type FoundPython = { python: string } | { python: null; fault: string };

/** Finds the Python for the kernels, so that a fault shows at the start and not in the first step. */
export async function findPython({ wanted, path, home }: Wanted): Promise<FoundPython> {
  const name = wanted ?? 'python3';
  const env = { PATH: path, HOME: home };
  const refused = (fault: string) => ({ python: null, fault: `${JSON.stringify(name)} ${fault}` });
  let output: string;
  try {
    output = (await run(name, ['-S', '-E', '-c', program], { env, timeout: 10_000, killSignal: 'SIGKILL' })).stdout;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return refused('does not exist');
    return refused(`cannot be run (${typeof code === 'number' ? `exit code ${code}` : (code ?? 'no answer in 10 s')})`);
  }
  const [, major, minor, python] = /^(\d+)\.(\d+) (\/.*)$/.exec(output.trim()) ?? [];
  if (!python) return refused('is not Python');
  if (Number(major) * 100 + Number(minor) < 309) return refused(`is Python ${major}.${minor}; 3.9 or later is needed`);
  return { python };
}
