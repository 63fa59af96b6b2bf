import { readFileSync } from 'node:fs';
import process from 'node:process';

/** A step that was shorter can have run no program, and most steps are: reading a file would take longer than all the rest of this. */
const programMsMin = 2;
const clockTickMs = 10;

const { resourceUsage } = process;

/**
 * Measures the use of CPU and memory of each step. CPU time counts from the end of the step before, so that what timers do between two
 * steps belongs to the later one.
 */
export function createStepUsage() {
  let beforeMs = 0;
  let childrenMs = 0;
  const measure = (durationMs) => {
    const { userCPUTime, systemCPUTime, maxRSS } = resourceUsage();
    if (durationMs >= programMsMin) childrenMs = cpuMsOfChildren() ?? childrenMs;
    const nowMs = (userCPUTime + systemCPUTime) / 1000 + childrenMs;
    const cpuMs = Math.max(0, nowMs - beforeMs);
    beforeMs = nowMs;
    return { cpuMs, memoryKb: maxRSS };
  };
  measure(0);
  return measure;
}

/** That of child processes that have ended (proc(5), fields 16 and 17); null if it cannot be read. */
function cpuMsOfChildren() {
  try {
    const stat = readFileSync('/proc/self/stat', 'latin1');
    const [, user, system] = /^(?:\S+ ){13}(\d+) (\d+) /.exec(stat.slice(stat.lastIndexOf(')') + 2)) ?? [];
    return user === undefined ? null : (Number(user) + Number(system)) * clockTickMs;
  } catch {
    return null;
  }
}
