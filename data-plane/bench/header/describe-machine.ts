import { cpus, loadavg, release, totalmem } from 'node:os';

export type Machine = { processors: number; model: string; memoryGib: number; system: string };

export function describeMachine(): Machine {
  const processors = cpus();
  return {
    processors: processors.length,
    model: processors[0]?.model ?? 'unknown',
    memoryGib: Number((totalmem() / 2 ** 30).toFixed(1)),
    system: `${process.platform} ${release()}`,
  };
}

/** The load averages of 1, 5 and 15 minutes. */
export const loadNow = (): number[] => loadavg().map((load) => Number(load.toFixed(2)));
