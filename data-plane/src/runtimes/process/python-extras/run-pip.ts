import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setPriority } from 'node:os';

const outputLengthMax = 4096;
const lowPriority = 10;

/**
 * Runs pip in a process group of its own, which does not outlive the signal, and at low priority, because sessions run beside it.
 * @throws Error with pip's last error, or `signal`'s reason
 */
export async function runPip(
  python: string,
  args: string[],
  { env, cwd, signal }: { env: Record<string, string>; cwd: string; signal: AbortSignal },
): Promise<void> {
  signal.throwIfAborted();
  const child = spawn(python, ['-m', 'pip', ...args], {
    env,
    cwd,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const kill = () => killGroup(child.pid);
  signal.addEventListener('abort', kill);
  try {
    let output = '';
    child.stderr.setEncoding('utf8').on('data', (text) => {
      output = (output + text).slice(-outputLengthMax);
    });
    const closed = once(child, 'close');
    if (child.pid) setPriority(child.pid, lowPriority);
    const [code] = await closed;
    signal.throwIfAborted();
    if (code !== 0) throw new Error(lastError(output) ?? `pip ended with exit code ${code}`);
  } finally {
    signal.removeEventListener('abort', kill);
  }
}

function killGroup(pid: number | undefined): void {
  try {
    if (pid) process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Pip hides the passwords of indexes in what it says. */
function lastError(output: string): string | null {
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  const line = lines.findLast((text) => text.startsWith('ERROR: ')) ?? lines.at(-1);
  return line?.replace('ERROR: ', '').slice(0, 500) ?? null;
}
