import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setImmediate as untilNextTurn } from 'node:timers/promises';

/** A process as `/proc` shows it. A pair of pid and `startTicks` (1/100 s since boot) is never used twice. */
export type RunningProcess = {
  pid: number;
  parentPid: number;
  startTicks: number;
  /** The entries, with NUL before, between and after them; empty if it may not be read. */
  environ: string;
};

/** For so long, in ms, processes are read without a rest for other work. */
const turnMs = 4;

/**
 * All processes of this machine except zombies. A process that vanishes while it is read is left out. The files of `/proc` are not on a disk,
 * so reading them takes microseconds; to have each step of it done by another thread takes ten times as long.
 */
export async function runningProcesses(): Promise<RunningProcess[]> {
  const pids = readdirSync('/proc').map(Number);
  const processes: RunningProcess[] = [];
  let restAt = performance.now() + turnMs;
  for (const pid of pids) {
    const process = pid > 0 ? readProcess(pid) : null;
    if (process) processes.push(process);
    if (performance.now() < restAt) continue;
    await untilNextTurn();
    restAt = performance.now() + turnMs;
  }
  return processes;
}

/** Whether this process still runs, as opposed to a later one with the same pid. */
export async function isStillRunning(process: Pick<RunningProcess, 'pid' | 'startTicks'>): Promise<boolean> {
  const stat = readStat(process.pid);
  return stat?.startTicks === process.startTicks;
}

/** The value that an environment variable had when the process was started, or null. */
export function variable(process: RunningProcess, name: string): string | null {
  const start = process.environ.indexOf(`\0${name}=`);
  if (start < 0) return null;
  const valueStart = start + name.length + 2;
  return process.environ.slice(valueStart, process.environ.indexOf('\0', valueStart));
}

const ticksPerSecond = 100;

/** When a process was started, to a hundredth of a second. */
export async function startTime({ startTicks }: Pick<RunningProcess, 'startTicks'>): Promise<Date> {
  const stat = await readFile('/proc/stat', 'latin1');
  const bootSeconds = Number(/^btime (\d+)$/m.exec(stat)?.[1]);
  return new Date((bootSeconds + startTicks / ticksPerSecond) * 1000);
}

/** The processes of `roots` that still run, and all their descendants. */
export function withDescendants(
  roots: readonly Pick<RunningProcess, 'pid' | 'startTicks'>[],
  processes: readonly RunningProcess[],
): RunningProcess[] {
  const children = Map.groupBy(processes, (process) => process.parentPid);
  const found = new Set(
    processes.filter((process) =>
      roots.some((root) => root.pid === process.pid && root.startTicks === process.startTicks),
    ),
  );
  for (const parent of found) {
    for (const child of children.get(parent.pid) ?? []) found.add(child);
  }
  return [...found];
}

function readProcess(pid: number): RunningProcess | null {
  const environ = readUnless(`/proc/${pid}/environ`, [...goneCodes, 'EACCES', 'EPERM']);
  const stat = readStat(pid);
  return stat && { pid, ...stat, environ: `\0${environ ?? ''}` };
}

const goneCodes = ['ENOENT', 'ESRCH'];

/** Null if the read fails with one of `codes`. Any other failure is thrown, because the process may still run. */
function readUnless(path: string, codes: string[]): string | null {
  try {
    return readFileSync(path, 'latin1');
  } catch (error) {
    if (codes.includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
}

/** Fields 4 and 22 of proc_pid_stat(5). They are counted from the end of field 2, because the name in it may contain any character. */
function readStat(pid: number): { parentPid: number; startTicks: number } | null {
  const stat = readUnless(`/proc/${pid}/stat`, goneCodes);
  if (stat === null) return null;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const gone = fields[0] === 'Z' || fields[0] === 'X';
  return gone ? null : { parentPid: Number(fields[1]), startTicks: Number(fields[19]) };
}
