import { decodeWaitStatus } from '../kernel-process/end/decode-wait-status.ts';

/** The end of a job's program; `fault` if the program could not be started. */
export type ProgramEnd = { exitCode: number | null; signal: string | null; fault?: string };

const reportCharactersMax = 1024;

/**
 * Reads the lines of a supervisor; see ../languages/python/supervise.py. Skips unknown lines: the code in the sandbox may have taken over
 * the supervisor, and must not gain anything by that.
 */
export function createSupervisorReader(on: {
  begun: () => void;
  ended: (end: ProgramEnd) => void;
}): (chunk: Buffer) => void {
  let text = '';
  return (chunk) => {
    const lines = (text + chunk.toString('latin1')).split('\n');
    text = (lines.pop() ?? '').slice(0, reportCharactersMax);
    for (const line of lines) {
      const [word, rest = ''] = line.split(/ (.*)/);
      if (word === 'begun') on.begun();
      else if (word === 'failed') on.ended({ exitCode: null, signal: null, fault: rest.slice(0, reportCharactersMax) });
      else if (word === 'ended' && /^\d{1,5}$/.test(rest)) on.ended(decodeWaitStatus(Number(rest)));
    }
  };
}
