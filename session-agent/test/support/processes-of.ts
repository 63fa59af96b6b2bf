import { readdirSync, readFileSync } from 'node:fs';

/** The ids of all living processes with the sandbox's mark in their environment. */
export function processesOf(sandboxUid: string): number[] {
  const mark = `HOLDFAST_SANDBOX_UID=${sandboxUid}\0`;
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && contents(`/proc/${name}/environ`).includes(mark))
    .map(Number);
}

/** How many processes run this command with these arguments. */
export function processesRunning(command: string[]): number {
  const line = `${command.join('\0')}\0`;
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name) && contents(`/proc/${name}/cmdline`) === line).length;
}

/** The resident memory of a process in bytes. */
export function residentBytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(contents(`/proc/${pid}/status`))?.[1] ?? 0) * 1024;
}

function contents(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
