import { setTimeout as delay } from 'node:timers/promises';
import {
  isStillRunning,
  type RunningProcess,
  runningProcesses,
  variable,
  withDescendants,
} from './running-processes.ts';

const pollMs = 10;

/** Sends SIGTERM, then SIGKILL if the process does not end within `graceMs`. */
export async function endProcess(process: RunningProcess, graceMs: number): Promise<void> {
  await signalProcess(process, 'SIGTERM');
  for (const deadline = Date.now() + graceMs; Date.now() < deadline; await delay(pollMs)) {
    if (!(await isStillRunning(process))) return;
  }
  await signalProcess(process, 'SIGKILL');
}

/**
 * Sends SIGKILL to every process with `HOLDFAST_SANDBOX_UID=uid` in its environment, to the `remembered` processes and to all their
 * descendants, until none is left. Descendants are remembered from round to round, because code may have cleared the environment of a child
 * and orphaned it.
 * @throws Error if some are left after `withinMs`
 */
export async function endSandboxProcesses(
  { uid, remembered }: { uid: string; remembered: readonly RunningProcess[] },
  withinMs: number,
): Promise<void> {
  let known = remembered;
  for (const deadline = Date.now() + withinMs; ; await delay(pollMs)) {
    const processes = await runningProcesses();
    const marked = processes.filter((process) => variable(process, 'HOLDFAST_SANDBOX_UID') === uid);
    known = withDescendants([...known, ...marked], processes);
    if (known.length === 0) return;
    if (Date.now() > deadline)
      throw new Error(`processes ${known.map(({ pid }) => pid).join(', ')} of ${uid} do not end`);
    await Promise.all(known.map((process) => signalProcess(process, 'SIGKILL')));
  }
}

async function signalProcess(target: RunningProcess, signal: NodeJS.Signals): Promise<void> {
  if (!(await isStillRunning(target))) return;
  try {
    process.kill(target.pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
