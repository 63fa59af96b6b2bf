import { changesPerFrameMax, frameCostBytes, type WorkspaceChanges } from '@holdfast/specs/agent';
import {
  type CommEvent,
  type CommMessage,
  type ExpressionResult,
  expressionValuesBytesMax,
  type Result,
  type ResultUpdate,
  type StepError,
} from '@holdfast/specs/public';
import type { InputRequest, StepSink, Stream } from '../kernel-process/kernel.ts';
import type { ProgramCall } from '../kernel-process/operations/operations-socket.ts';
import { boundError } from './bound-error.ts';
import { CappedOutput } from './capped-output.ts';
import { withImageSizes } from './image-sizes.ts';
import type { OutputFiles } from './output-files.ts';
import type { StepCalls } from './step-calls.ts';
import type { StepInput } from './step-input.ts';
import type { StepLog } from './step-log.ts';

const resultBytesMax = 8 * 1024 * 1024;
/** The limit for all results, errors and comm messages of one step together, each with the cost of its frame. */
const resultsBytesMax = 4 * resultBytesMax;

type Options = {
  outputBytesMax: number;
  files: Pick<OutputFiles, 'begin'>;
  input: StepInput | null;
  /** The names of the expressions of the step. */
  expressions?: readonly string[];
  calls?: StepCalls;
  answer: (text: string | null) => void;
  /** Adds to an error what to do about it. */
  addHint?: (error: StepError) => StepError;
};

/** Writes the output and results of a step to its log, within limits. Call `end` once, before the last frame. */
export class StepCapture implements StepSink {
  #stepId: string;
  #log: Pick<StepLog, 'append' | 'appendJson' | 'payloads'>;
  #options: Options;
  #streams: Partial<Record<Stream, CappedOutput>> = {};
  #resultBytesLeft = resultsBytesMax;
  #droppedBytes = 0;
  #expressionsLeft: Set<string> | null = null;
  #expressionBytesLeft = expressionValuesBytesMax;

  constructor(
    { stepId, log }: { stepId: string; log: Pick<StepLog, 'append' | 'appendJson' | 'payloads'> },
    options: Options,
  ) {
    this.#stepId = stepId;
    this.#log = log;
    this.#options = options;
    const { input, calls, answer, expressions } = options;
    if (expressions) this.#expressionsLeft = new Set(expressions);
    input?.connect({ ask: (request) => log.append('input_request', request), answer });
    calls?.connect((call) => log.append('operation_request', call));
  }

  output(stream: Stream, bytes: Buffer): void {
    const capped = this.#streams[stream] ?? this.#capped(stream);
    this.#streams[stream] = capped;
    capped.push(bytes);
  }

  result(result: Result): void {
    this.#appendWithin('result', withImageSizes(result));
  }

  resultUpdate(update: ResultUpdate): void {
    this.#appendWithin('result_update', withImageSizes(update));
  }

  error(error: StepError): void {
    this.#appendWithin('error', boundError(this.#options.addHint?.(error) ?? error));
  }

  expression(name: string, value: ExpressionResult): void {
    if (!this.#expressionsLeft?.delete(name)) return;
    const shown = 'error' in value ? { error: boundError(value.error) } : value;
    const json = JSON.stringify({ name, value: shown });
    const bytes = Buffer.byteLength(json);
    if (bytes > this.#expressionBytesLeft) this.#expressionTooLarge(name, bytes);
    else {
      this.#expressionBytesLeft -= bytes;
      this.#log.appendJson('expression', json);
    }
  }

  comm(message: CommMessage): void {
    this.#appendWithin('comm', { ...message, sender: 'kernel' });
  }

  outputCleared(clearing: { wait: boolean }): void {
    this.#appendWithin('output_cleared', clearing);
  }

  /** The message of a front end that the step handles. */
  received(message: CommMessage): void {
    this.#appendWithin('comm', { ...message, sender: 'client' });
  }

  inputRequest(request: InputRequest): void {
    const { input, answer } = this.#options;
    if (input) input.request(request);
    else answer(null);
  }

  operationCall(call: ProgramCall): void {
    this.#options.calls?.take(call);
  }

  end(): void {
    this.#options.calls?.end();
    this.#options.input?.end();
    this.#streams.stdout?.end();
    this.#streams.stderr?.end();
    if (this.#droppedBytes > 0) this.#log.append('truncated', { stream: 'result', bytes: this.#droppedBytes });
  }

  /** Far less than a frame, so it needs no room of its own. */
  #expressionTooLarge(name: string, bytes: number): void {
    const message = `the value takes ${bytes} bytes, and ${this.#expressionBytesLeft} of ${expressionValuesBytesMax} are left`;
    this.#log.append('expression', { name, value: { error: { name: 'ValueTooLarge', message, traceback: [] } } });
  }

  #capped(stream: Stream): CappedOutput {
    const { files, outputBytesMax } = this.#options;
    const openFile = (headBytes: number) =>
      files.begin({ stepId: this.#stepId, stream }, { head: this.#log.payloads(stream), headBytes });
    return new CappedOutput(this.#log, { stream, bytesMax: outputBytesMax, openFile });
  }

  #appendWithin(
    type: 'result' | 'result_update' | 'error' | 'comm' | 'output_cleared',
    payload: Result | ResultUpdate | StepError | CommEvent | { wait: boolean },
  ): void {
    const json = JSON.stringify(payload);
    const bytes = Buffer.byteLength(json);
    if (bytes <= resultBytesMax && bytes <= this.#resultBytesLeft) {
      this.#resultBytesLeft -= frameCostBytes + bytes;
      this.#log.appendJson(type, json);
    } else {
      this.#droppedBytes += bytes;
    }
  }
}

/** Appends the changes of a step to its log. Call right before the last frame. Without changes it appends nothing. */
export function appendChanges(log: Pick<StepLog, 'append'>, { changes, directories }: WorkspaceChanges): void {
  for (let at = 0; at < Math.max(changes.length, directories.length); at += changesPerFrameMax) {
    const part = directories.slice(at, at + changesPerFrameMax);
    log.append('changes', {
      changes: changes.slice(at, at + changesPerFrameMax),
      ...(part.length > 0 && { directories: part }),
    });
  }
}
