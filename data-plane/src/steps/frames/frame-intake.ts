import { type Done, doneSchema, encodeFrame, type Frame } from '@holdfast/specs/agent';
import { type Change, changesSchema, eventContent, type startedSchema } from '@holdfast/specs/public';
import type { z } from 'zod';
import { AgentError } from '../../agent/agent-error.ts';

/** More than an agent with its own caps ever sends about one step. */
const stepBytesMax = 64 * 1024 * 1024;

/** What a frame costs in memory beside its bytes. */
const frameCostBytes = 256;

type Started = z.infer<typeof startedSchema>;

/** What the frames of one step have said so far. Offsets are milliseconds since the step was queued. */
export type FrameIntake = {
  readonly lastSeq: number;
  /** Of the last frame that is to be shown. */
  readonly shownSeq: number;
  readonly contextEpoch: number | null;
  readonly executionCount: number | null;
  readonly startedOffsetMs: number | null;
  readonly truncated: boolean;
  /** What the agent says that the step changed in the workspace. */
  readonly changes: readonly Change[];
  readonly done: Done | null;
  /**
   * Checks frames from an agent, which may be anybody's code, stamps them with the time of their arrival, and returns those that
   * are to be shown: all but `changes` and `done`. Throws AgentError `invalid` on a gap, on a payload that is not of its form, on too much.
   */
  take(frames: readonly Frame[]): Buffer[];
};

/**
 * @param queuedAtMs when the step was queued, in ms since 1970
 * @param isJob its process has neither epoch nor count, whatever its agent says
 */
export function frameIntake(queuedAtMs: number, { isJob = false } = {}): FrameIntake {
  let bytes = 0;
  const seen = {
    lastSeq: 0,
    shownSeq: 0,
    contextEpoch: null as number | null,
    executionCount: null as number | null,
    startedOffsetMs: null as number | null,
    truncated: false,
    changes: [] as Change[],
    done: null as Done | null,
  };

  function take(frame: Frame): Buffer | null {
    if (seen.done) throw new AgentError('invalid', 'a frame came after done');
    if (frame.seq !== seen.lastSeq + 1)
      throw new AgentError('invalid', `frame ${frame.seq} came after ${seen.lastSeq}`);
    seen.lastSeq = frame.seq;
    bytes += frame.bytes.length + frameCostBytes;
    if (bytes > stepBytesMax) throw new AgentError('invalid', `a step of more than ${stepBytesMax} bytes`);
    const timeMs = Math.min(Math.max(0, Date.now() - queuedAtMs), 0xffffffff);
    if (frame.type === 'done') {
      seen.done = cleaned(parse(frame, doneSchema));
      seen.contextEpoch = isJob ? null : seen.done.contextEpoch;
      return null;
    }
    const { type } = frame;
    if (type === 'artifact') throw new AgentError('invalid', "artifacts are not the agent's to announce");
    if (type === 'changes') {
      seen.changes.push(...parse(frame, changesSchema).changes);
      return null;
    }
    const shown = type === 'stdout' || type === 'stderr' ? frame.bytes : checked(type, frame, timeMs);
    shown.writeUInt32BE(timeMs, 8);
    seen.shownSeq = frame.seq;
    return shown;
  }

  /** Written anew from what the schema let through: a field too many could pass for one of ours in the public event. */
  function checked(type: keyof typeof eventContent, frame: Frame, timeMs: number): Buffer {
    let content = parse<object>(frame, eventContent[type]);
    if (type === 'started') {
      const started: Started = isJob ? { contextEpoch: null, executionCount: null } : (content as Started);
      Object.assign(seen, started, { startedOffsetMs: timeMs });
      content = started;
    }
    if (type === 'truncated') seen.truncated = true;
    return encodeFrame(type, frame.seq, content);
  }

  return Object.assign(seen, {
    take: (frames: readonly Frame[]) => frames.map(take).filter((frame) => frame !== null),
  });
}

function parse<T>(frame: Frame, schema: { parse(value: unknown): T }): T {
  try {
    return schema.parse(JSON.parse(frame.payload.toString()));
  } catch (cause) {
    throw new AgentError('invalid', `a ${frame.type} frame is not of its form`, { cause });
  }
}

/** Postgres' jsonb takes neither NUL nor lone surrogates. */
function cleaned(done: Done): Done {
  const message = done.cause?.message?.replaceAll('\0', '\uFFFD').toWellFormed();
  return done.cause && message !== undefined ? { ...done, cause: { ...done.cause, message } } : done;
}
