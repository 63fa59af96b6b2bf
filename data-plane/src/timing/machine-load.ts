import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/** How busy other work keeps the processors of this machine. Work of the caller is told by `begin` and `end`, and does not count. */
export type MachineLoad = {
  /** How many threads can run at once. */
  readonly processors: number;
  begin(): void;
  end(): void;
  /** Call a little before `isBusy`, as often as you like: it then has its answer at once. */
  watch(): void;
  /** Whether other work leaves little idle time. Null: not known yet, so ask again a little later. */
  isBusy(): boolean | null;
};

/** The processor time of a machine since its start, and the idle part of it, in any unit. */
export type ProcessorTimes = { total: number; idle: number };

/** With less idle time than this, other work would have to wait. */
const idleShareMin = 0.5;
/** Shorter spans say little: the system counts in hundredths of a second. */
const spanMs = 250;
/** Longer spans, and answers that are older, tell of the past. */
const pastMs = 1000;

/** Looks at the machine only when it is asked. A machine whose times cannot be read never counts as busy. */
export function createMachineLoad({
  readTimes = readProcessorTimes,
  now = () => performance.now(),
}: {
  readTimes?: () => ProcessorTimes | null;
  now?: () => number;
} = {}): MachineLoad {
  const look = () => ({ at: now(), times: readTimes() });
  let own = 0;
  let since = look();
  let found = { at: Number.NEGATIVE_INFINITY, isBusy: false };
  return {
    processors: availableParallelism(),
    begin() {
      own += 1;
    },
    end() {
      own -= 1;
      if (own === 0) since = look();
    },
    watch() {
      if (now() - since.at > pastMs) since = look();
    },
    isBusy() {
      const at = now();
      if (own === 0 && at - since.at >= spanMs) {
        const seen = look();
        if (at - since.at <= pastMs) found = { at, isBusy: idleShare(since.times, seen.times) < idleShareMin };
        since = seen;
      }
      // While work of the caller runs, there is no newer answer.
      return own > 0 || at - found.at <= pastMs ? found.isBusy : null;
    },
  };
}

function idleShare(from: ProcessorTimes | null, to: ProcessorTimes | null): number {
  if (!from || !to || to.total <= from.total) return 1;
  return (to.idle - from.idle) / (to.total - from.total);
}

/** The first line of proc_stat(5). The times of guests are contained in those of users. */
function readProcessorTimes(): ProcessorTimes | null {
  try {
    const [line = ''] = readFileSync('/proc/stat', 'latin1').split('\n');
    const times = line.split(/ +/).slice(1, 9).map(Number);
    const [, , , idle = 0, waiting = 0] = times;
    return { total: times.reduce((sum, time) => sum + time, 0), idle: idle + waiting };
  } catch {
    return null;
  }
}
