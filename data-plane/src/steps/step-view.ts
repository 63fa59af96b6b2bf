import { type Frame, framesIn } from '@holdfast/specs/agent';
import type {
  Artifact,
  ExpressionResult,
  JobProgram,
  JobResult,
  OperationRequest,
  ResourceUsage,
  Result,
  ResultUpdate,
  Step,
  StepError,
  StepProposal,
} from '@holdfast/specs/public';
import type { ArtifactContent } from '../artifacts/artifact-view.ts';
import type { StepRow } from '../registry/schema/steps.ts';
import type { StepRecord } from '../registry/steps/record-steps.ts';
import { isoText } from '../timing/iso-text.ts';
import type { StepStart } from './live-step.ts';

/** The part of a recorded step that is neither its start nor its frames. */
export type StepState = Pick<
  StepRecord,
  | 'contextEpoch'
  | 'executionCount'
  | 'status'
  | 'outcome'
  | 'cause'
  | 'exitCode'
  | 'truncated'
  | 'startedAt'
  | 'finishedAt'
  | 'durationMs'
  | 'cpuSeconds'
  | 'memoryBytesMax'
> &
  Pick<StepRow, 'budgetRemaining' | 'tokensUsed'> & { number: number | null };

/** Values by the names of their expressions. */
export type Expressed = Map<string, ExpressionResult>;

/** The content of a step's frames; output and results may be streamed instead of being there as a whole. */
export type StepContent<Output, Results> = {
  stdout: Output;
  stderr: Output;
  results: Results;
  expressions: Expressed;
  error: StepError | null;
  artifacts: Artifact[];
  proposals: StepProposal[];
  operations: Step['operations'];
};

/** The public step, made from its start, its state and its frames. Pure. */
export function stepView(start: ViewedStart, state: StepState, frames: Iterable<Buffer>): Step {
  const { stdout, stderr, ...content } = contentOf(start, frames);
  return stepWith(start, state, { ...content, stdout: text(stdout), stderr: text(stderr) });
}

/** The content of frames; the output is the bytes of the frames themselves. Pure. */
export function contentOf(start: ViewedStart, frames: Iterable<Buffer>): StepContent<Buffer[], Result[]> {
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  const results: Result[] = [];
  const expressions: Expressed = new Map();
  const artifacts: Artifact[] = [];
  const proposals: StepProposal[] = [];
  const operations: Step['operations'] = [];
  /** The last update by the id of what it updates, and the number of results before it. */
  const updates = new Map<string, { update: ResultUpdate; before: number }>();
  let error: StepError | null = null;
  for (const frame of eachFrame(frames)) {
    if (frame.type === 'stdout') stdout.push(frame.payload);
    else if (frame.type === 'stderr') stderr.push(frame.payload);
    else if (frame.type === 'result') results.push(json<Result>(frame));
    else if (frame.type === 'result_update') {
      const update = json<ResultUpdate>(frame);
      updates.set(update.displayId, { update, before: results.length });
    } else if (frame.type === 'expression') noteExpression(expressions, frame);
    else if (frame.type === 'artifact') artifacts.push(artifactOf(start, frame));
    else if (frame.type === 'proposal') proposals.push(json<StepProposal>(frame));
    else if (frame.type === 'operation_request') operations.push(calledOperation(frame));
    else if (frame.type === 'error') error = json<StepError>(frame);
  }
  for (const [index, result] of updates.size > 0 ? results.entries() : []) {
    const { update, before = 0 } = updates.get(result.displayId ?? '') ?? {};
    if (update && index < before) Object.assign(result, update);
  }
  return { stdout, stderr, results, expressions, error, artifacts, proposals, operations };
}

export type ViewedStart = Omit<StepStart, 'timeoutMs' | 'keyId'>;

/** The public step with a content that was read from its frames. Pure. */
export function stepWith<Output, Results>(
  start: ViewedStart,
  state: StepState,
  { stdout, stderr, results, expressions, error, artifacts, proposals, operations }: StepContent<Output, Results>,
) {
  return {
    id: start.id,
    sessionId: start.sessionId,
    contextId: start.contextId,
    number: state.number,
    epoch: start.epoch,
    contextEpoch: state.contextEpoch,
    ...(start.parentStepId && { parentStepId: start.parentStepId }),
    actor: start.actor,
    actorName: start.actorName,
    language: start.language,
    code: start.code,
    ...(start.isSilent && { record: 'silent' as const }),
    status: state.status,
    outcome: state.outcome,
    stdout,
    stderr,
    truncated: state.truncated,
    results,
    ...(start.expressions && { expressions: Object.fromEntries(expressions) }),
    error,
    ...(state.exitCode !== null && { exitCode: state.exitCode }),
    cause: state.cause,
    artifacts,
    proposals,
    operations,
    job: start.job && jobResult(start.job, state),
    // A silent step has that of the silent steps.
    executionCount: start.isSilent ? null : state.executionCount,
    queuedAt: isoText(start.queuedAt),
    startedAt: state.startedAt && isoText(state.startedAt),
    finishedAt: state.finishedAt && isoText(state.finishedAt),
    durationMs: state.durationMs,
    usage: usageOf(state),
    tokensUsed: state.tokensUsed,
    budgetRemaining: state.budgetRemaining,
  };
}

/** Null if the sandbox did not report it. Pure. */
export const usageOf = ({
  cpuSeconds,
  memoryBytesMax,
}: Pick<StepState, 'cpuSeconds' | 'memoryBytesMax'>): ResourceUsage | null =>
  cpuSeconds === null || memoryBytesMax === null ? null : { cpuSeconds, memoryBytesMax };

/** How a job's process ended, as far as that is known. Pure. */
export const jobResult = (program: JobProgram, { status, cause }: Pick<Step, 'status' | 'cause'>): JobResult => ({
  ...program,
  exitCode: status === 'succeeded' ? 0 : (cause?.exitCode ?? null),
  signal: cause?.signal ?? null,
  timedOut: status === 'timed_out',
});

export const artifactOf = ({ id, queuedAt }: Pick<StepStart, 'id' | 'queuedAt'>, frame: Content): Artifact => ({
  ...json<ArtifactContent>(frame),
  stepId: id,
  createdAt: new Date(queuedAt.getTime() + frame.timeMs).toISOString(),
});

export function noteExpression(expressions: Expressed, frame: Pick<Frame, 'payload'>): void {
  const { name, value } = json<{ name: string; value: ExpressionResult }>(frame);
  expressions.set(name, value);
}

export const calledOperation = (frame: Pick<Frame, 'payload'>): Step['operations'][number] => {
  const { operationId, name } = json<OperationRequest>(frame);
  return { operationId, name };
};

function* eachFrame(buffers: Iterable<Buffer>): Generator<Frame> {
  for (const buffer of buffers) yield* framesIn(buffer);
}

type Content = Pick<Frame, 'payload' | 'timeMs'>;

export const json = <T>(frame: Pick<Frame, 'payload'>): T => JSON.parse(frame.payload.toString());
const text = (parts: Buffer[]) => (parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts)).toString();
