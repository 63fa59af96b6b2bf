import { readFileSync } from 'node:fs';

/** In MiB: `own` is private to the process (USS), `resident` counts shared pages in full (RSS). */
export type ProcessMemory = { own: number; resident: number };

/** The memory of processes together, as Linux counts it in /proc/PID/smaps_rollup (proc_pid_smaps(5)). */
export function processMemory(pids: readonly number[]): ProcessMemory {
  const rollups = pids.map((pid) => readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'));
  const sum = (...names: string[]) =>
    rollups.flatMap((text) => names.map((name) => kibibytes(text, name))).reduce((total, one) => total + one, 0) / 1024;
  return { own: sum('Private_Clean', 'Private_Dirty'), resident: sum('Rss') };
}

/** The resident memory of a process alone, which is cheap to read. */
export const residentMebibytes = (pid: number): number =>
  kibibytes(readFileSync(`/proc/${pid}/status`, 'utf8'), 'VmRSS') / 1024;

function kibibytes(text: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0);
}
