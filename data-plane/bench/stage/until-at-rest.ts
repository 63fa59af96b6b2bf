import { setTimeout as wait } from 'node:timers/promises';
import { cpuWithDescendants } from '../measure/cpu-times.ts';

const pauseMs = 300;
const pausesMax = 200;

/**
 * Waits until this process and all below it use next to no CPU. An agent goes on working after its first step: it starts an interpreter
 * in reserve, which would count as the cost of the steps that are measured meanwhile.
 */
export async function untilAtRest(pid: number): Promise<void> {
  for (let quiet = 0, pause = 0; quiet < 3 && pause < pausesMax; pause++) {
    const before = cpuWithDescendants(pid);
    await wait(pauseMs);
    quiet = cpuWithDescendants(pid) - before <= 10 ? quiet + 1 : 0;
  }
}
