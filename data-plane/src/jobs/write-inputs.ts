import type { InlineFile } from '@holdfast/specs/public';
import { type PutFileDependencies, putFile } from '../files/put-file.ts';
import type { Caller } from '../sessions/caller.ts';

type WriteInputsInput = {
  caller: Caller;
  sessionId: string;
  inputs: readonly InlineFile[];
  /** Throws if the job is another replica's by now. Asked before each file is put in its place. */
  refuseIfTaken(): Promise<void>;
  signal: AbortSignal;
};

const atOnce = 8;

/**
 * Writes the input files of a job into a workspace that is in use, in the same way as the client could.
 * @throws the error of the first file that fails
 */
export async function writeInputs(
  deps: PutFileDependencies,
  { caller, sessionId, inputs, refuseIfTaken, signal }: WriteInputsInput,
): Promise<void> {
  const stop = new AbortController();
  const waiting = inputs.values();
  const write = async () => {
    for (const { path, bytes } of waiting) {
      const until = AbortSignal.any([signal, stop.signal]);
      const file = { path, body: [bytes], size: bytes.length, beforeChange: refuseIfTaken };
      await putFile(deps, { caller, sessionId, ...file, signal: until });
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(atOnce, inputs.length) }, write));
  } finally {
    stop.abort();
  }
}
