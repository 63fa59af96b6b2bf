import type { CallOptions } from '../../http/create-api.ts';
import { bytesOf, type Process } from '../../processes/process.ts';

export type CommandOutput = {
  stdout: string;
  stderr: string;
  /** Both in the order in which they came. */
  text: string;
  /** Whether output is missing. */
  truncated: boolean;
};

export type ReadOptions = CallOptions & {
  /** The limit of both streams together. More is left out, and not even fetched. */
  bytesMax: number;
  /** Ends the reading with what has come so far. */
  until?: AbortSignal | undefined;
};

/** Reads the output of a process in parts, each behind the last one. */
export function createOutputReader(process: Process) {
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  let after = 0;
  return {
    async read({ bytesMax, signal, until }: ReadOptions): Promise<CommandOutput> {
      const output = { stdout: '', stderr: '', text: '', truncated: false };
      const signals = [signal, until].filter((given) => given !== undefined);
      let left = bytesMax;
      try {
        for await (const event of process.events({ after, signal: AbortSignal.any(signals) })) {
          after = event.seq;
          if (event.type === 'truncated') output.truncated = true;
          if (event.type !== 'stdout' && event.type !== 'stderr') continue;
          const bytes = bytesOf(event);
          const text = decoders[event.type].decode(bytes.subarray(0, left), { stream: true });
          output[event.type] += text;
          output.text += text;
          if (bytes.length > left) return { ...output, truncated: true };
          left -= bytes.length;
        }
      } catch (error) {
        signal?.throwIfAborted();
        if (!until?.aborted) throw error;
      }
      return output;
    },
  };
}
