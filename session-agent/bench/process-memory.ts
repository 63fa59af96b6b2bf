import { readFileSync } from 'node:fs';

/** Memory of a process in KiB: `own` is private to it (USS), `share` adds its part of the shared memory (PSS). */
export type ProcessMemory = { own: number; share: number };

/** As the kernel counts it in /proc/PID/smaps_rollup (proc_pid_smaps(5)). */
export function processMemory(pid: number): ProcessMemory {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  const field = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(rollup)?.[1] ?? 0);
  return { own: field('Private_Clean') + field('Private_Dirty'), share: field('Pss') };
}
