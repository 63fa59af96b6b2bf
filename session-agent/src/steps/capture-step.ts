import { type Change, changesPerFrameMax, frameCostBytes } from '@holdfast/specs/agent';
import type { CommEvent, CommMessage, Result, StepError } from '@holdfast/specs/public';
import type { StepSink, Stream } from '../kernel-process/kernel.ts';
import { boundError } from './bound-error.ts';
import { CappedOutput } from './capped-output.ts';
import type { OutputFiles } from './output-files.ts';
import type { StepInput } from './step-input.ts';
import type { StepLog } from './step-log.ts';

const resultBytesMax = 8 * 1024 * 1024;
/** The limit for all results, errors and comm messages of one step together, each with the cost of its frame. */
const resultsBytesMax = 4 * resultBytesMax;

/** Writes the output and results of a step to its log, within limits. Call `end` once, before the last frame. */
export function captureStep(
  { stepId, log }: { stepId: string; log: Pick<StepLog, 'append' | 'payloads'> },
  options: {
    outputBytesMax: number;
    files: Pick<OutputFiles, 'begin'>;
    input: StepInput | null;
    answer: (text: string | null) => void;
  },
): StepSink & { received(message: CommMessage): void; end(): void } {
  const capped = (stream: Stream) => {
    const openFile = (headBytes: number) =>
      options.files.begin({ stepId, stream }, { head: log.payloads(stream), headBytes });
    return new CappedOutput(log, { stream, bytesMax: options.outputBytesMax, openFile });
  };
  const streams = { stdout: capped('stdout'), stderr: capped('stderr') };
  const { input, answer } = options;
  input?.connect({ ask: (request) => log.append('input_request', request), answer });
  let resultBytesLeft = resultsBytesMax;
  let droppedBytes = 0;

  const appendWithin = (
    type: 'result' | 'error' | 'comm' | 'clear_output',
    payload: Result | StepError | CommEvent | { wait: boolean },
  ) => {
    const bytes = Buffer.from(JSON.stringify(payload));
    if (bytes.length <= resultBytesMax && bytes.length <= resultBytesLeft) {
      resultBytesLeft -= frameCostBytes + bytes.length;
      log.append(type, bytes);
    } else {
      droppedBytes += bytes.length;
    }
  };

  return {
    output: (stream, bytes) => streams[stream].push(bytes),
    result: (result) => appendWithin('result', result),
    error: (error) => appendWithin('error', boundError(error)),
    comm: (message) => appendWithin('comm', { ...message, sender: 'kernel' }),
    clearOutput: (clearing) => appendWithin('clear_output', clearing),
    /** The message of a front end that the step handles. */
    received: (message) => appendWithin('comm', { ...message, sender: 'client' }),
    inputRequest: (request) => (input ? input.request(request) : answer(null)),
    end() {
      input?.end();
      streams.stdout.end();
      streams.stderr.end();
      if (droppedBytes > 0) log.append('truncated', { stream: 'result', bytes: droppedBytes });
    },
  };
}

/** Appends the changes of a step to its log. Call right before the last frame. Without changes it appends nothing. */
export function appendChanges(log: Pick<StepLog, 'append'>, changes: readonly Change[]): void {
  for (let at = 0; at < changes.length; at += changesPerFrameMax) {
    log.append('changes', { changes: changes.slice(at, at + changesPerFrameMax) });
  }
}
