import {
  type Change,
  changesSchema,
  type DirectoryChange,
  type Done,
  doneSchema,
  encodeFrame,
  type Frame,
  type FrameType,
  frameCostBytes,
  operationCallSchema,
  writeUint32,
} from '@holdfast/specs/agent';
import {
  eventContent,
  type Result,
  type ResultUpdate,
  type StateReset,
  type StepError,
  type startedSchema,
} from '@holdfast/specs/public';
import type { z } from 'zod';
import { AgentError } from '../../agent/agent-error.ts';
import { jsonWeight, parseJson } from '../../agent/parse-json.ts';
import { refuseBelowFirst } from '../../sessions/reserve-context-epoch.ts';
import { isPlainResult, plainDone, plainResultWeight, plainStarted } from './plain-payload.ts';
import { type StepCall, takeCall } from './step-call.ts';
import { UpdateRoom } from './update-room.ts';

/** An agent that holds to its own caps sends less than this about one step. */
const stepBytesMax = 64 * 1024 * 1024;

/** An agent lists fewer changes than this for one step, those of directories among them. */
const stepChangesMax = 20_000;

const timeMsMax = 0xffffffff;
/** Also the room for clocks of replicas that differ. */
const aheadMsMax = 60_000;

/** For one frame, about 15 ms. */
const frameWeightMax = 200_000;

/** For all results, errors and comm messages of a step together, about 70 ms. Beyond it they are left out, as they are beyond a number of bytes. */
const resultsWeightMax = 1_000_000;
const errorsBytesMax = 8 * 1024 * 1024;

/** Frames that are less than half of a larger piece of memory than this are copied out of it. */
const sharedBytesMax = 4096;

type Started = z.infer<typeof startedSchema>;

type IntakeOptions = {
  /** The ids of the step's calls follow from it. */
  stepId?: string;
  /** Whether the step is silent: clients see no count of it. */
  isSilent?: boolean;
  /** The names of the expressions that it may answer. */
  expressions?: readonly string[];
  /** A job's process has neither contextEpoch nor executionCount, so the agent's values are ignored. */
  isJob?: boolean;
  /** That of the sandbox's first kernels; see `sessions/reserve-context-epoch.ts`. */
  firstContextEpoch?: number;
};

/** The state of one step according to the frames received so far. Offsets are milliseconds from the time at which the step was queued to the arrival of a frame. */
export class FrameIntake {
  lastSeq = 0;
  /** The seq of the last frame that clients may see. They see no gap. */
  shownSeq = 0;
  contextEpoch: number | null = null;
  /** The highest one in any frame, 0 before the first. */
  contextEpochMax = 0;
  executionCount: number | null = null;
  /** Only of a silent step. */
  silentCount: number | null = null;
  startedOffsetMs: number | null = null;
  doneOffsetMs: number | null = null;
  /** The time of the event. */
  startedTimeMs: number | null = null;
  truncated = false;
  /** The loss of memory that the step announces. */
  reset: StateReset | null = null;
  /** The last error that the code has shown. */
  lastError: Pick<StepError, 'name' | 'message'> | null = null;
  /** Whether the policy has denied a call of the step. */
  hasDeniedCalls = false;
  /** The changes in the workspace that the agent reported for the step. */
  readonly changes: Change[] = [];
  readonly directories: DirectoryChange[] = [];
  done: Done | null = null;
  /** The memory of the frames so far, roughly. */
  bytes = 0;
  private readonly stepId: string;
  private calls: StepCall[] = [];
  private lastCall = 0;
  private hostCalls = 0;
  private readonly queuedAtMs: number;
  private readonly isJob: boolean;
  private readonly isSilent: boolean;
  private readonly expressionsLeft: Set<string> | null;
  private readonly firstContextEpoch: number;
  private updates: UpdateRoom | null = null;
  private weightLeft = resultsWeightMax;
  private errorsBytesLeft = errorsBytesMax;

  /** That of the last frame. */
  private timeMs = 0;

  /** @param queuedAtMs when the step was queued, in ms since 1970 */
  constructor(queuedAtMs: number, options: IntakeOptions = {}) {
    const { stepId = '', isJob = false, isSilent = false, expressions, firstContextEpoch = 1 } = options;
    this.stepId = stepId;
    this.queuedAtMs = queuedAtMs;
    this.isJob = isJob;
    this.isSilent = isSilent;
    this.expressionsLeft = expressions ? new Set(expressions) : null;
    this.firstContextEpoch = firstContextEpoch;
  }

  /**
   * Checks frames from an agent, which may be under the control of the user's code, bounds the times that they have, and returns those that
   * clients may see: all but `changes`, `done` and the calls that the host does not answer.
   *
   * @throws AgentError `invalid` if a seq is missing, a payload does not match its schema, or the step has more than 64 MiB of frames
   */
  take(frames: readonly Frame[]): Buffer[] {
    const shown: Buffer[] = [];
    for (const frame of frames) {
      const bytes = this.takeOne(frame);
      if (bytes) shown.push(bytes);
    }
    return copiedIfFew(shown);
  }

  private takeOne(frame: Frame): Buffer | null {
    if (this.done) throw new AgentError('invalid', 'a frame came after done');
    if (frame.seq !== this.lastSeq + 1)
      throw new AgentError('invalid', `frame ${frame.seq} came after ${this.lastSeq}`);
    this.lastSeq = frame.seq;
    this.bytes += frame.bytes.length + frameCostBytes;
    if (this.bytes > stepBytesMax)
      throw new AgentError('invalid', `the frames of the step exceed ${stepBytesMax} bytes`);
    const arrivalMs = Math.min(Math.max(0, Date.now() - this.queuedAtMs), timeMsMax);
    const { type } = frame;
    if (type === 'started') this.startedOffsetMs = arrivalMs;
    if (type === 'done') {
      this.done = plainDone(frame.payload) ?? cleaned(parse(frame, doneSchema));
      this.doneOffsetMs = arrivalMs;
      this.contextEpoch = this.isJob ? null : this.done.contextEpoch;
      this.noteContextEpoch(this.contextEpoch);
      return null;
    }
    if (type === 'artifact' || type === 'proposal' || type === 'operation_denied')
      throw new AgentError('invalid', `a ${type} frame came from an agent`);
    if (type === 'changes') {
      const { changes, directories = [] } = parse(frame, changesSchema);
      this.changes.push(...changes);
      this.directories.push(...directories);
      // As objects they take about twice the memory of their text.
      this.bytes += frame.bytes.length;
      if (this.changes.length + this.directories.length > stepChangesMax)
        throw new AgentError('invalid', 'the step has too many changes');
      return null;
    }
    const timeMs = this.timeOf(frame, arrivalMs);
    if (type === 'started') this.startedTimeMs = timeMs;
    if (type === 'operation_request') {
      const request = this.call(frame);
      return request && this.shown(request, timeMs);
    }
    const isOutput = type === 'stdout' || type === 'stderr';
    return this.shown(isOutput || this.isPlain(frame) ? frame.bytes : this.checked(type, frame), timeMs);
  }

  /**
   * The time of an event is what its agent says, so that it is the same on each replica that reads the frame, whenever that is. It never runs
   * backwards, and an agent that lies gets no further than a minute into the future. An earlier agent says nothing.
   */
  private timeOf(frame: Frame, arrivalMs: number): number {
    const saidMs = frame.timeMs === 0 ? arrivalMs : Math.min(frame.timeMs - 1, arrivalMs + aheadMsMax);
    this.timeMs = Math.max(this.timeMs, saidMs);
    return this.timeMs;
  }

  /** The calls since the last time that this was asked. */
  takeCalls(): readonly StepCall[] {
    if (this.calls.length === 0) return this.calls;
    const { calls } = this;
    this.calls = [];
    return calls;
  }

  /** Whether the step has called an operation of the host. */
  get hasHostCalls(): boolean {
    return this.hostCalls > 0;
  }

  private shown(bytes: Buffer, timeMs: number): Buffer {
    this.shownSeq += 1;
    if (this.shownSeq !== this.lastSeq) writeUint32(bytes, 4, this.shownSeq);
    writeUint32(bytes, 8, timeMs);
    return bytes;
  }

  /** The frame that clients see, or null for a call that the host does not get. */
  private call(frame: Frame): Buffer | null {
    const call = takeCall(this.stepId, parse(frame, operationCallSchema), { hostCallsBefore: this.hostCalls });
    if (call.number !== this.lastCall + 1)
      throw new AgentError('invalid', `call ${call.number} came after ${this.lastCall}`);
    this.lastCall = call.number;
    this.calls.push(call);
    if (call.kind !== 'host') return null;
    this.hostCalls += 1;
    const { id: operationId, name } = call;
    return encodeFrame('operation_request', frame.seq, { operationId, name, arguments: call.arguments });
  }

  /** Takes a frame of the usual form. False: `checked` has to look at it. */
  private isPlain({ type, payload }: Frame): boolean {
    if (type === 'result' && this.weightLeft >= plainResultWeight && isPlainResult(payload)) {
      this.weightLeft -= plainResultWeight;
      return true;
    }
    const started = type === 'started' && !this.isJob && !this.isSilent && plainStarted(payload);
    if (!started) return false;
    this.start(started);
    this.noteContextEpoch(started.contextEpoch);
    return true;
  }

  private start({ contextEpoch, executionCount }: Started): void {
    this.contextEpoch = contextEpoch;
    this.executionCount = executionCount;
  }

  /** Takes the counts that the kind of the step has, and returns those that clients see. */
  private startUsually({ silentCount, ...given }: z.infer<typeof eventContent.started>): Started {
    const started = this.isJob ? { contextEpoch: null, executionCount: null } : given;
    this.start(started);
    if (!this.isSilent) return started;
    this.silentCount = silentCount ?? null;
    return { ...started, executionCount: null };
  }

  /** Whether a result, an error or a comm message is within what is left for all of them. */
  private fits(frame: Frame): boolean {
    const weight = jsonWeight(frame.payload);
    if (weight > this.weightLeft) return false;
    if (frame.type === 'error' && frame.payload.length > this.errorsBytesLeft) return false;
    this.weightLeft -= weight;
    if (frame.type === 'error') this.errorsBytesLeft -= frame.payload.length;
    return true;
  }

  /** Encodes the parsed payload anew: a field that the schema does not know could pass for one of ours in the public event. */
  private checked(type: keyof typeof eventContent, frame: Frame): Buffer {
    if (isWeighedBefore(type) && !this.fits(frame)) {
      this.truncated = true;
      return encodeFrame('truncated', frame.seq, { stream: 'result', bytes: frame.payload.length });
    }
    let content = parse<object>(frame, eventContent[type]);
    if (type === 'result') this.noteResult(content as Result);
    if (type === 'result_update' && !this.mayUpdate(content as ResultUpdate, frame)) {
      this.truncated = true;
      return encodeFrame('truncated', frame.seq, { stream: 'result', bytes: frame.payload.length });
    }
    if (type === 'started') {
      content = this.startUsually(content as z.infer<typeof eventContent.started>);
    }
    if ('contextEpoch' in content) this.noteContextEpoch(content.contextEpoch as number | null);
    if (type === 'truncated') this.truncated = true;
    if (type === 'expression') this.noteExpression((content as { name: string }).name);
    if (type === 'error') this.lastError = content as StepError;
    if (type === 'state_reset') this.reset = content as StateReset;
    return encodeFrame(type, frame.seq, content);
  }

  private noteResult({ displayId }: Result): void {
    if (displayId === undefined) return;
    this.updates ??= new UpdateRoom();
    this.updates.noteResult(displayId);
  }

  private mayUpdate({ displayId }: ResultUpdate, { payload }: Frame): boolean {
    this.updates ??= new UpdateRoom();
    return this.updates.take(displayId, payload.length);
  }

  private noteExpression(name: string): void {
    if (!this.expressionsLeft?.delete(name))
      throw new AgentError('invalid', 'an expression came that was not asked for');
  }

  private noteContextEpoch(contextEpoch: number | null): void {
    if (contextEpoch === null) return;
    refuseBelowFirst({ firstContextEpoch: this.firstContextEpoch }, contextEpoch);
    this.contextEpochMax = Math.max(this.contextEpochMax, contextEpoch);
  }
}

/** Output shares the memory of the chunk in which it came, and all of that would stay with it. */
function copiedIfFew(frames: Buffer[]): Buffer[] {
  const shared = frames.reduce((most, { buffer }) => Math.max(most, buffer.byteLength), 0);
  if (shared <= sharedBytesMax) return frames;
  const bytes = frames.reduce((sum, { length }) => sum + length, 0);
  if (shared <= 2 * bytes) return frames;
  let end = 0;
  const own = Buffer.allocUnsafeSlow(bytes);
  return frames.map((frame) => {
    own.set(frame, end);
    end += frame.length;
    return own.subarray(end - frame.length, end);
  });
}

/** Whether the structure of such a frame was compared with what is left for all of them before it is parsed. */
const isWeighedBefore = (type: FrameType): boolean =>
  type === 'result' || type === 'result_update' || type === 'expression' || type === 'error' || type === 'comm';

function parse<T>(frame: Frame, schema: { parse(value: unknown): T }): T {
  try {
    const weightMax = isWeighedBefore(frame.type) ? resultsWeightMax : frameWeightMax;
    return schema.parse(parseJson(frame.payload, { weightMax }));
  } catch (cause) {
    throw new AgentError('invalid', `the payload of a ${frame.type} frame does not match its schema`, { cause });
  }
}

/** Postgres' jsonb accepts neither NUL nor lone surrogates. */
function cleaned(done: Done): Done {
  const message = done.cause?.message?.replaceAll('\0', '\uFFFD').toWellFormed();
  return done.cause && message !== undefined ? { ...done, cause: { ...done.cause, message } } : done;
}
