import type { Cause, ProgramLimits } from '@holdfast/specs/public';

export const measuredLimits = ['memory', 'cpu', 'processes'] as const;
/** A limit of a program that is measured over all of its processes. */
export type MeasuredLimit = (typeof measuredLimits)[number];

/** How a program ended; `exceeded`: it was ended because of that limit. */
type Ending = { signal: string | null; exceeded?: MeasuredLimit | undefined };

/** The limit that ended a program, as a cause; null if none did. Pure. */
export function limitCause({ signal, exceeded }: Ending, limits: ProgramLimits): Cause | null {
  if (exceeded) return { code: limitCauses[exceeded], message: excessOf(limits)[exceeded] };
  if (signal !== 'SIGXFSZ' || !limits.fileMb) return null;
  return { code: 'file_limit', message: `the program wrote a file of more than ${limits.fileMb} MiB` };
}

const limitCauses = { memory: 'memory_limit', cpu: 'cpu_limit', processes: 'process_limit' } as const;

const excessOf = ({ memoryMb, cpuSeconds, processesMax }: ProgramLimits): Record<MeasuredLimit, string> => ({
  memory: `the program and its processes had more than ${memoryMb} MiB of memory`,
  cpu: `the program and its processes used more than ${cpuSeconds} seconds of CPU time`,
  processes: `the program had more than ${processesMax} processes`,
});
