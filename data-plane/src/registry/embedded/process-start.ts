import { readFile } from 'node:fs/promises';

/**
 * The start time of a living process in clock ticks since boot (proc_pid_stat(5), field 22); null if the process does not exist or is a
 * zombie. Together with the pid it identifies one process, because pids are reused.
 */
export async function processStart(pid: number): Promise<string | null> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => null);
  // The command in parentheses may contain spaces and parentheses; field 3 follows the last one.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields && fields[0] !== 'Z' && fields[0] !== 'X' ? (fields[19] ?? null) : null;
}
