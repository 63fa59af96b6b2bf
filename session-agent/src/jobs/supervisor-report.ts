import { signalName } from '../kernel-process/end/signal-name.ts';

/** How a job's process ended; `fault` where it never became the program. */
export type ProgramEnd = { exitCode: number | null; signal: string | null; fault?: string };

const reportCharactersMax = 1024;

/**
 * Reads what a supervisor says, whole lines of it; see ../languages/python/supervise.py. What it never says is passed over: the code of
 * the sandbox may have got hold of it, and gains nothing.
 */
export function createSupervisorReader(told: {
  begun: () => void;
  ended: (end: ProgramEnd) => void;
}): (chunk: Buffer) => void {
  let text = '';
  return (chunk) => {
    const lines = (text + chunk.toString('latin1')).split('\n');
    text = (lines.pop() ?? '').slice(0, reportCharactersMax);
    for (const line of lines) {
      const [word, rest = ''] = line.split(/ (.*)/);
      if (word === 'begun') told.begun();
      else if (word === 'failed')
        told.ended({ exitCode: null, signal: null, fault: rest.slice(0, reportCharactersMax) });
      else if (word === 'ended' && /^\d{1,5}$/.test(rest)) told.ended(decodeWaitStatus(Number(rest)));
    }
  };
}

/** From a wait status (wait(2)): the signal in the lowest seven bits, or else the code above the eighth. Pure. */
export function decodeWaitStatus(status: number): ProgramEnd {
  const signal = status & 0x7f;
  return signal === 0 ? { exitCode: status >>> 8, signal: null } : { exitCode: null, signal: signalName(signal) };
}
