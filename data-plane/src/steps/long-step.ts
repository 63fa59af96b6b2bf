import { frameTypes } from '@holdfast/specs/agent';
import type { Artifact, Result, Step, StepError, StepProposal } from '@holdfast/specs/public';
import {
  escapedText,
  type LongAnswer,
  type Reader,
  type Streamed,
  streamedJson,
  streamedText,
} from '../reading/json-slices.ts';
import { type FrameLog, type Span, bytesOf as sumOf } from './frame-log.ts';
import { type FramePart, framePartsOf } from './frames/frame-parts.ts';
import { displayIdAt, resultsInParts, type UpdatePlace } from './frames/results-in-parts.ts';
import {
  artifactOf,
  calledOperation,
  contentOf,
  type Expressed,
  json,
  noteExpression,
  type StepContent,
  type StepState,
  stepWith,
  type ViewedStart,
} from './step-view.ts';

/** A step with more output than is held in memory as text. */
export type LongStep = LongAnswer<OpenedStep> & {
  status: Step['status'];
  /** Null if the step has not ended. */
  finishedAt: Date | null;
  /** Reads up to the last frame. */
  measure(reader: Reader): Promise<{ lastSeq: number }>;
  /** The step's frames, if a reader of its events has not got them from its live log. */
  frames: ((reader: Reader) => AsyncIterable<FramePart[]>) | null;
  /** Makes the step with its output as JSON, if its frames are in memory and not too long for that. */
  makeWhole(): void;
  /** That step; null if it was not made. */
  whole(): OpenedStep | null;
};

/** The public step; its output and its results come while they are sent. */
export type OpenedStep = ReturnType<typeof stepWith<Streamed | '', Streamed | Result[]>>;

/** `received`: the frames, if they are in memory. */
type LongStepInput = {
  start: ViewedStart;
  state: StepState;
  log: FrameLog;
  isReplayed: boolean;
  received?: readonly Buffer[];
};

export function longStep({ start, state, log, isReplayed, received }: LongStepInput): LongStep {
  const whole = { from: 0, end: log.bytes };
  let made: WholeContent | null = null;
  return {
    isLong: true,
    status: state.status,
    finishedAt: state.finishedAt,
    makeWhole() {
      made = received ? wholeContent(start, received) : null;
    },
    whole: () => made && stepWith<Streamed, Result[]>(start, state, made),
    frames: isReplayed ? (reader) => partsIn(log, whole, reader) : null,
    measure: (reader) => outlineOf(start, partsIn(log, whole, reader)),
    async open(reader) {
      const {
        lastSeq: _,
        updates,
        stdout,
        stderr,
        result,
        ...short
      } = await outlineOf(start, partsIn(log, whole, reader));
      const parts = (type: FramePart['type'], span: Span) => partsOfType(partsIn(log, span, reader), type);
      return stepWith<Streamed | '', Streamed | Result[]>(start, state, {
        ...short,
        stdout: stdout ? streamedText(bytesOf(parts('stdout', stdout))) : '',
        stderr: stderr ? streamedText(bytesOf(parts('stderr', stderr))) : '',
        results: result
          ? streamedJson(
              resultsInParts(parts('result', result), { updates, read: (span) => partsIn(log, span, reader) }),
            )
          : [],
      });
    },
  };
}

type WholeContent = StepContent<Streamed, Result[]>;

/** To escape so much output takes at most about 5 ms, and 10 if it is not UTF-8. */
const wholeBytesMax = 2 * 1024 * 1024;
/** A whole step takes up to so many times the memory of its frames, beside them. */
export const wholeCopies = 2;
/** So much besides output may be parsed at once. */
const besideOutputMax = 256 * 1024;

function wholeContent(start: ViewedStart, frames: readonly Buffer[]): WholeContent | null {
  if (sumOf(frames) > wholeBytesMax) return null;
  if (sumOf(frames.filter((frame) => !isOutput(frame))) > besideOutputMax) return null;
  const content = contentOf(start, frames);
  const [stdout, stderr] = [escaped(content.stdout), escaped(content.stderr)];
  return stdout && stderr && { ...content, stdout, stderr };
}

const escaped = (output: readonly Buffer[]) => escapedText(output, { bytesMax: wholeCopies * sumOf(output) });

const isOutput = ([type]: Buffer) => type === frameTypes.stdout || type === frameTypes.stderr;

const partsIn = (log: FrameLog, span: Span, reader: Reader) => framePartsOf(log.read(span, reader), span);

/** The short content of a step, and the places of the rest, each from the first frame of its type to the last. */
type Outline = Partial<Record<'stdout' | 'stderr' | 'result', Span>> & {
  expressions: Expressed;
  error: StepError | null;
  artifacts: Artifact[];
  proposals: StepProposal[];
  operations: Step['operations'];
  /** The last update by the id of what it updates. */
  updates: ReadonlyMap<string, UpdatePlace>;
  lastSeq: number;
};

async function outlineOf(start: ViewedStart, parts: AsyncIterable<FramePart[]>): Promise<Outline> {
  const updates = new Map<string, UpdatePlace>();
  const expressions: Expressed = new Map();
  const outline: Outline = {
    expressions,
    error: null,
    artifacts: [],
    proposals: [],
    operations: [],
    updates,
    lastSeq: 0,
  };
  for await (const batch of parts) {
    for (const part of batch) {
      const { type, from, end } = part;
      outline.lastSeq = part.seq;
      if (type === 'stdout' || type === 'stderr' || type === 'result') {
        outline[type] = { from: outline[type]?.from ?? from, end };
      } else if (type === 'result_update') updates.set(displayIdAt(part) ?? '', { from, end, seq: part.seq });
      else if (type === 'expression') noteExpression(expressions, part);
      else if (type === 'artifact') outline.artifacts.push(artifactOf(start, part));
      else if (type === 'proposal') outline.proposals.push(json<StepProposal>(part));
      else if (type === 'operation_request') outline.operations.push(calledOperation(part));
      else if (type === 'error') outline.error = json<StepError>(part);
    }
  }
  return outline;
}

async function* partsOfType(parts: AsyncIterable<FramePart[]>, type: FramePart['type']) {
  for await (const batch of parts) yield batch.filter((part) => part.type === type);
}

async function* bytesOf(parts: AsyncIterable<FramePart[]>): AsyncGenerator<Buffer> {
  for await (const batch of parts) for (const { payload } of batch) yield payload;
}
