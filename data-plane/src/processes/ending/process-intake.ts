import {
  type Change,
  changesSchema,
  type DirectoryChange,
  type Frame,
  frameCostBytes,
  type ProcessDone,
  type ProcessStarted,
  positionOf,
  processDoneSchema,
  processStartedSchema,
  processTruncatedSchema,
} from '@holdfast/specs/agent';
import { storable } from '@holdfast/specs/public';
import type { z } from 'zod';
import { AgentError } from '../../agent/agent-error.ts';
import { parseJson } from '../../agent/parse-json.ts';

/** An agent sends twice 32 KiB of output at the end of a process, in a few frames. */
const logBytesMax = 160 * 1024;
/** As for a step. */
const changesMax = 20_000;
const frameWeightMax = 200_000;

/** The report of an agent about one process: that it has started, and when it has ended, the beginning and the end of its log. */
export class ProcessIntake {
  started: ProcessStarted | null = null;
  done: ProcessDone | null = null;
  truncated = false;
  /** The memory of all frames that came, roughly. */
  bytes = 0;
  /** Output and what is missing of it, as frames. */
  readonly log: Buffer[] = [];
  readonly changes: Change[] = [];
  readonly directories: DirectoryChange[] = [];
  private position = 0;
  private logBytes = 0;

  /**
   * Takes frames from an agent, which may be under the control of the user's code.
   * @throws AgentError `invalid` if a frame is not in its place or of its form, or if they are too many
   */
  take(frames: readonly Frame[]): void {
    for (const frame of frames) {
      this.bytes += frame.bytes.length + frameCostBytes;
      this.takeOne(frame);
    }
  }

  private takeOne(frame: Frame): void {
    if (this.done) throw new AgentError('invalid', 'a frame came after done');
    switch (frame.type) {
      case 'started':
        this.advance(frame, 1);
        this.started = cleaned(parse(frame, processStartedSchema));
        return;
      case 'stdout':
      case 'stderr':
        this.advance(frame, frame.payload.length);
        this.keep(frame);
        return;
      case 'truncated':
        this.advance(frame, parse(frame, processTruncatedSchema).bytes);
        this.truncated = true;
        this.keep(frame);
        return;
      case 'changes': {
        this.advance(frame, 1);
        const { changes, directories = [] } = parse(frame, changesSchema);
        this.changes.push(...changes);
        this.directories.push(...directories);
        if (this.changes.length + this.directories.length > changesMax)
          throw new AgentError('invalid', 'the process has too many changes');
        return;
      }
      case 'done':
        this.advance(frame, 1);
        this.done = parse(frame, processDoneSchema);
        return;
      default:
        throw new AgentError('invalid', `a ${frame.type} frame of a process came from an agent`);
    }
  }

  private advance(frame: Frame, by: number): void {
    const position = positionOf(frame);
    if (by < 1 || position !== this.position + by)
      throw new AgentError('invalid', `a ${frame.type} frame at ${position} came after ${this.position}`);
    if (this.started === null && frame.type !== 'started')
      throw new AgentError('invalid', `a ${frame.type} frame came before started`);
    if (this.started !== null && frame.type === 'started') throw new AgentError('invalid', 'it has started twice');
    this.position = position;
  }

  private keep({ bytes }: Frame): void {
    this.logBytes += bytes.length + frameCostBytes;
    if (this.logBytes > logBytesMax) throw new AgentError('invalid', `the log exceeds ${logBytesMax} bytes`);
    // A copy, so that it does not keep a whole chunk in memory.
    this.log.push(Buffer.from(bytes));
  }
}

const cleaned = ({ pid, cwd }: ProcessStarted): ProcessStarted => ({ pid, cwd: storable(cwd, 8192) });

function parse<Schema extends z.ZodType>({ type, payload }: Frame, schema: Schema): z.output<Schema> {
  try {
    return schema.parse(parseJson(payload, { weightMax: frameWeightMax }));
  } catch (cause) {
    throw new AgentError('invalid', `a ${type} frame of a process is not of its form`, { cause });
  }
}
