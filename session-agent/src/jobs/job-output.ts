import type { FifoReader } from '../kernel-process/fifo-reader.ts';
import type { StepSink } from '../kernel-process/kernel.ts';
import { incompleteCharacterBytes } from '../kernel-process/output/incomplete-character.ts';
import { settledWithin } from '../kernel-process/settled-within.ts';

type Readers = { stdout: FifoReader; stderr: FifoReader };

/**
 * Passes the output of a job to the sink; half a character only at the end. `end` waits up to `ms` for the rest, and resolves with whether
 * all of it came.
 */
export function readJobOutput(readers: Readers, sink: Pick<StepSink, 'output'>): { end(ms: number): Promise<boolean> } {
  const closed = (['stdout', 'stderr'] as const).map((stream) => {
    const reader = readers[stream];
    const whole = wholeCharacters((bytes) => sink.output(stream, bytes));
    reader.on('error', () => {});
    reader.listen(whole.push);
    return new Promise<void>((resolve) => reader.once('close', resolve)).then(whole.end);
  });
  return {
    async end(ms) {
      const isWhole = await settledWithin(Promise.all(closed), ms);
      for (const reader of [readers.stdout, readers.stderr]) reader.destroy();
      await Promise.all(closed);
      return isWhole;
    },
  };
}

function wholeCharacters(give: (bytes: Buffer) => void) {
  let rest: Buffer = Buffer.alloc(0);
  return {
    push(chunk: Buffer): void {
      const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
      const whole = bytes.length - incompleteCharacterBytes(bytes);
      rest = Buffer.from(bytes.subarray(whole));
      if (whole > 0) give(bytes.subarray(0, whole));
    },
    end(): void {
      if (rest.length > 0) give(rest);
    },
  };
}
