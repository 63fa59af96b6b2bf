import { readdirSync, readFileSync } from 'node:fs';

/** The processes that work on steps. The children of agents are interpreters, and those of the postmaster its backends and writers. */
export type StepProcesses = { dataPlane: number; agents: readonly number[]; postmaster: number };

export const cpuMetrics = ['cpu-data-plane', 'cpu-agents', 'cpu-interpreters', 'cpu-postgres', 'cpu-total'] as const;
export type CpuTimes = Record<(typeof cpuMetrics)[number], number>;

/**
 * The CPU that these processes have used so far, in milliseconds. A process that has ended counts for its parent, once that has waited for it, as
 * kernels do for the processes that save their state.
 */
export function cpuTimes({ dataPlane, agents, postmaster }: StepProcesses): CpuTimes {
  const { own, below } = readTimes();
  const sum = (pids: readonly number[], of: (pid: number) => number) => pids.reduce((total, pid) => total + of(pid), 0);
  const times = {
    'cpu-data-plane': own(dataPlane),
    'cpu-agents': sum(agents, own),
    'cpu-interpreters': sum(agents, below),
    'cpu-postgres': own(postmaster) + below(postmaster),
  };
  return { ...times, 'cpu-total': Object.values(times).reduce((total, ms) => total + ms, 0) };
}

/** The CPU that this process and all below it have used so far, in milliseconds. */
export function cpuWithDescendants(pid: number): number {
  const { own, below } = readTimes();
  return own(pid) + below(pid);
}

/** The milliseconds of CPU of a process alone, and of all that descend from it. */
function readTimes() {
  const processes = readProcesses();
  const children = Map.groupBy(processes.values(), ({ parent }) => parent);
  const own = (pid: number) => processes.get(pid)?.cpuMs ?? 0;
  const below = (pid: number): number =>
    (children.get(pid) ?? []).reduce((sum, child) => sum + child.cpuMs + below(child.pid), 0);
  return { own, below };
}

export const childrenOf = (pid: number): number[] =>
  [...readProcesses().values()].filter(({ parent }) => parent === pid).map((child) => child.pid);

type Process = { pid: number; parent: number; cpuMs: number };

/** By pid. Fields 4 and 14 to 17 of proc_pid_stat(5), counted from the end of field 2, because the name in it may contain any character. */
function readProcesses(): Map<number, Process> {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return new Map(
    pids.flatMap((name) => {
      const stat = readUnlessGone(`/proc/${name}/stat`);
      if (stat === null) return [];
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const pid = Number(name);
      const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
      return [[pid, { pid, parent: Number(fields[1]), cpuMs: ticks * tickMs }]];
    }),
  );
}

/** Linux shows these times in hundredths of a second on every architecture. */
const tickMs = 10;

function readUnlessGone(path: string): string | null {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return null;
  }
}
