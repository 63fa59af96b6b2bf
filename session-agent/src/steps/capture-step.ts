import { frameHeaderBytes, type Result, type StepError } from '@holdfast/specs';
import type { StepSink, Stream } from '../kernel/kernel.ts';
import { boundError } from './bound-error.ts';
import { CappedOutput } from './capped-output.ts';
import type { StepLog } from './step-log.ts';

const resultBytesMax = 8 * 1024 * 1024;
/** All results and errors of one step together, frames' headers included. */
const resultsBytesMax = 4 * resultBytesMax;

/** Receives what a step brings forth and keeps it in the step's log within bounds. Call `end` once, before the last frame. */
export function captureStep(
  log: Pick<StepLog, 'append'>,
  options: { outputBytesMax: number },
): StepSink & { end(): void } {
  const capped = (stream: Stream) => new CappedOutput(log, { stream, bytesMax: options.outputBytesMax });
  const streams = { stdout: capped('stdout'), stderr: capped('stderr') };
  let resultBytesLeft = resultsBytesMax;
  let droppedBytes = 0;

  const appendWithin = (type: 'result' | 'error', payload: Result | StepError) => {
    const bytes = Buffer.from(JSON.stringify(payload));
    if (bytes.length <= resultBytesMax && bytes.length <= resultBytesLeft) {
      resultBytesLeft -= frameHeaderBytes + bytes.length;
      log.append(type, bytes);
    } else {
      droppedBytes += bytes.length;
    }
  };

  return {
    output: (stream, bytes) => streams[stream].push(bytes),
    result: (result) => appendWithin('result', result),
    error: (error) => appendWithin('error', boundError(error)),
    end() {
      streams.stdout.end();
      streams.stderr.end();
      if (droppedBytes > 0) log.append('truncated', { stream: 'result', bytes: droppedBytes });
    },
  };
}
