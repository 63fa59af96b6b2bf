import { readdirSync, readFileSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';

/** A process as /proc shows it. `startedAt` is in clock ticks since boot; together with the pid it names one incarnation. */
export type ProcessEntry = { pid: number; parent: number; group: number; session: number; startedAt: number };

/** All living processes, without zombies. */
export function listProcesses(): ProcessEntry[] {
  return listPids().flatMap((pid) => readProcess(pid) ?? []);
}

/** Processes after which other work of the agent gets its turn. */
const inTurn = 64;

/** The same for a time at which many may live. */
export async function listInTurns(): Promise<ProcessEntry[]> {
  const entries: ProcessEntry[] = [];
  for (const [at, pid] of listPids().entries()) {
    if (at % inTurn === inTurn - 1) await turn();
    const entry = readProcess(pid);
    if (entry) entries.push(entry);
  }
  return entries;
}

const listPids = (): number[] => readdirSync('/proc').flatMap((name) => (/^[1-9]/.test(name) ? Number(name) : []));

/** The process, or null if it does not live. Fields as in proc_pid_stat(5). */
export function readProcess(pid: number): ProcessEntry | null {
  const fields = fieldsOf(pid);
  const [state, parent, group, session] = fields;
  if (state === undefined || state === 'Z' || state === 'X') return null;
  return { pid, parent: Number(parent), group: Number(group), session: Number(session), startedAt: Number(fields[19]) };
}

/** Whether a debugger has stopped the process. No signal but SIGKILL ends that. */
export const isTraced = (pid: number): boolean => fieldsOf(pid)[0] === 't';

/** The fields of a process from its state on; none if it does not exist. */
function fieldsOf(pid: number): string[] {
  const stat = readOrNull(`/proc/${pid}/stat`);
  // The second field is the program's name in parentheses, and may itself contain spaces and parentheses.
  return stat === null ? [] : stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** Whether the process was started with this variable; false if its environment cannot be read. */
export const hasVariable = (pid: number, variable: string): boolean => variablesOf(pid).includes(variable);

/** The variables with which the process was started; none if its environment cannot be read. */
export const variablesOf = (pid: number): string[] => readOrNull(`/proc/${pid}/environ`)?.split('\0') ?? [];

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

/** A process and all that descend from it. */
export function descendantsOf(pid: number, all: readonly ProcessEntry[]): number[] {
  const found = new Set([pid]);
  for (let before = 0; before !== found.size; ) {
    before = found.size;
    for (const entry of all) if (found.has(entry.parent)) found.add(entry.pid);
  }
  return [...found];
}
