import { readFile } from 'node:fs/promises';
import { type RunningProcess, runningProcesses, variable } from '../../../src/runtimes/process/running-processes.ts';
import { eventually } from '../../support/eventually.ts';

/** The processes of each sandbox by its uid, the agent first. */
export async function processesBySandbox(): Promise<Map<string, RunningProcess[]>> {
  const all = (await runningProcesses()).toSorted((a, b) => a.startTicks - b.startTicks || a.pid - b.pid);
  const ofSandboxes = all.filter((process) => variable(process, 'HOLDFAST_SANDBOX_UID') !== null);
  return Map.groupBy(ofSandboxes, (process) => variable(process, 'HOLDFAST_SANDBOX_UID') ?? '');
}

export async function childrenOf(pid: number): Promise<number[]> {
  return (await runningProcesses()).filter(({ parentPid }) => parentPid === pid).map((child) => child.pid);
}

/** The state letter of proc_pid_stat(5), or null if the process is gone. */
export async function stateOf(pid: number): Promise<string | null> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => null);
  return stat && (stat.slice(stat.lastIndexOf(')') + 2)[0] ?? null);
}

/** Stops the processes and proves that they have stopped. A process that ends meanwhile does not count. */
export async function freeze(pids: readonly number[]): Promise<{ frozen: number; thaw(): void }> {
  for (const pid of pids) signal(pid, 'SIGSTOP');
  const states = await eventually(async () => {
    const seen = await Promise.all(pids.map(stateOf));
    if (seen.some((state) => state !== null && !'TZX'.includes(state))) throw new Error(`not stopped: ${seen}`);
    return seen;
  });
  const thaw = () => {
    for (const pid of pids) signal(pid, 'SIGCONT');
  };
  return { frozen: states.filter((state) => state === 'T').length, thaw };
}

/** Kills the process and proves that it is gone. */
export async function killForGood(pid: number): Promise<boolean> {
  if (!signal(pid, 'SIGKILL')) return false;
  await eventually(async () => {
    const state = await stateOf(pid);
    if (state !== null && state !== 'Z' && state !== 'X') throw new Error(`${pid} still runs`);
  });
  return true;
}

/** False if the process is gone. */
function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}
