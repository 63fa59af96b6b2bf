import { int4Max, type ResourceUsage } from '@holdfast/specs/public';
import { decodeWaitStatus } from '../kernel-process/end/decode-wait-status.ts';
import { type MeasuredLimit, measuredLimits } from '../kernel-process/limits/limit-cause.ts';

/** The end of a job's program; `fault` if the program could not be started. `exceeded`: it was ended because of that limit. */
export type ProgramEnd = {
  exitCode: number | null;
  signal: string | null;
  fault?: string;
  usage?: ResourceUsage;
  exceeded?: MeasuredLimit;
};

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
  let exceeded: MeasuredLimit | undefined;
  return (chunk) => {
    const lines = (text + chunk.toString('latin1')).split('\n');
    text = (lines.pop() ?? '').slice(0, reportCharactersMax);
    for (const line of lines) {
      const [word, rest = ''] = line.split(/ (.*)/);
      if (word === 'begun') on.begun();
      else if (word === 'failed') on.ended({ exitCode: null, signal: null, fault: rest.slice(0, reportCharactersMax) });
      else if (word === 'exceeded') exceeded = measuredLimits.find((limit) => limit === rest);
      else if (word === 'ended' && endedForm.test(rest)) on.ended({ ...readEnd(rest), ...(exceeded && { exceeded }) });
    }
  };
}

const endedForm = /^\d{1,5} \d{1,12} \d{1,12}$/;

function readEnd(text: string): ProgramEnd {
  const [status = 0, cpuMs = 0, memoryKb = 0] = text.split(' ').map(Number);
  const cpuSeconds = Math.min(cpuMs / 1000, int4Max);
  return { ...decodeWaitStatus(status), usage: { cpuSeconds, memoryBytesMax: memoryKb * 1024 } };
}
