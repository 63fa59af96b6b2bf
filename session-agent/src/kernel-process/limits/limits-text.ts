import type { ProgramLimits } from '@holdfast/specs/public';

/** Limits as holdfast_kernel/agent/program_limits.py reads them. Pure. */
export const limitsText = ({ memoryMb, cpuSeconds, processesMax, fileMb }: ProgramLimits): string =>
  [memoryMb, cpuSeconds, processesMax, fileMb].map((value) => value ?? '').join(',');
