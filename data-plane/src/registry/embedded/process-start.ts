import { readFile } from 'node:fs/promises';

/**
 * When a living process started, in clock ticks since boot (proc_pid_stat(5), field 22), or null where there is none or only a zombie.
 * Together with the pid it names one process: pids are used again.
 */
export async function processStart(pid: number): Promise<string | null> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => null);
  // The command in parentheses may hold spaces and parentheses; after its last one comes field 3.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields && fields[0] !== 'Z' && fields[0] !== 'X' ? (fields[19] ?? null) : null;
}
