import type { StringDecoder } from 'node:string_decoder';
import { type Frame, FrameError, frameAt } from '@holdfast/specs/agent';
import { eventSeqMax, type Step } from '@holdfast/specs/public';
import { createJsonEscaper } from '../../../reading/escape-json.ts';
import type { FramePart } from '../../../steps/frames/frame-parts.ts';
import type { OpenedStep } from '../../../steps/long-step.ts';

/** An event of a step as one JSON text. The rest stands beside it for the framing. */
export type RenderedEvent = { type: string; seq: number; id: EventId; json: string };

/** The seq of an event, or its cursor in the stream of a session. */
type EventId = number | string;

/** An event whose JSON is `json`, then the bytes of `text`, then `end`. */
export type RenderedOutput = RenderedEvent & { text: Buffer[]; end: string };

type Subject = { id: string; sessionId: string; actor: string; actorName: string | null; queuedAt: Date };

type Rendering = {
  /** The cursor of an event in the stream of a session; without it, events have none. */
  cursorOf?: ((event: { type: string; seq: number }) => string) | undefined;
  /** Whether the step of `finished` comes without its output and its results. */
  isBrief?: boolean | undefined;
};

/**
 * Renders the frames of one step as public events, one after the other. It remembers the contextEpoch that the last `started` or
 * `state_reset` announced, so give it every frame, also those that the client skips.
 */
export function createEventRenderer(step: Subject, { cursorOf, isBrief = false }: Rendering = {}) {
  const named = step.actorName === null ? '' : `,"actorName":${JSON.stringify(step.actorName)}`;
  const subject = `,"sessionId":${JSON.stringify(step.sessionId)},"stepId":${JSON.stringify(step.id)},"actor":${JSON.stringify(step.actor)}${named}`;
  const queuedMs = step.queuedAt.getTime();
  let contextEpoch: number | null = null;
  let seq = 0;
  let lastMs = -1;
  let lastTime = '';

  /** The fields that the data-plane sets. They stand last, so that they replace any of the same name in an agent's payload. */
  const ours = (type: string, atMs: number, withEpoch: boolean) => {
    if (atMs !== lastMs) {
      lastMs = atMs;
      lastTime = new Date(atMs).toISOString();
    }
    const epoch = withEpoch ? `,"contextEpoch":${contextEpoch}` : '';
    const cursor = cursorOf ? `,"cursor":"${cursorOf({ type, seq })}"` : '';
    return `"type":"${type}","seq":${seq},"time":"${lastTime}"${subject}${epoch}${cursor}`;
  };

  const idOf = (type: string): EventId => cursorOf?.({ type, seq }) ?? seq;

  const whole = ({ type, timeMs, payload }: Pick<Frame, 'type' | 'timeMs' | 'payload'>): string => {
    const atMs = queuedMs + timeMs;
    if (isOutput(type)) return `{${ours(type, atMs, true)},"text":${JSON.stringify(payload.toString())}}`;
    const content = oneLine(payload);
    const announces = type === 'started' || type === 'state_reset';
    if (announces) contextEpoch = (JSON.parse(content) as { contextEpoch: number }).contextEpoch;
    const fields = content.slice(1, -1);
    return `{${fields}${fields && ','}${ours(type, atMs, !announces)}}`;
  };

  const partOf = ({ isFirst, isLast, ...part }: FramePart, decoder: StringDecoder): string => {
    if (isFirst && isLast) return whole(part);
    const fields = ours(part.type, queuedMs + part.timeMs, true);
    if (isOutput(part.type)) {
      const text = decoder.write(part.payload) + (isLast ? decoder.end() : '');
      return `${isFirst ? `{${fields},"text":"` : ''}${JSON.stringify(text).slice(1, -1)}${isLast ? '"}' : ''}`;
    }
    // The recorded payload is an object that `JSON.stringify` made, so it has one line and the brace is its last byte.
    return isLast ? `${decoder.write(part.payload.subarray(0, -1))},${fields}}` : decoder.write(part.payload);
  };

  /** The time of the end, and the contextEpoch that the step has then. */
  const end = (step: Pick<Step, 'status' | 'contextEpoch' | 'finishedAt'>): string => {
    seq = step.status === 'lost' ? lostEndSeq : seq + 1;
    contextEpoch = step.contextEpoch ?? contextEpoch;
    return ours('finished', step.finishedAt === null ? queuedMs : Date.parse(step.finishedAt), true);
  };

  return {
    frame(bytes: Buffer): RenderedEvent | RenderedOutput {
      const frame = wholeFrame(bytes);
      const { type, payload } = frame;
      seq = frame.seq;
      if (!isOutput(type) || payload.length < outputBytesMin) return { type, seq, id: idOf(type), json: whole(frame) };
      const escaper = createJsonEscaper();
      const text = [...escaper.write(payload), ...escaper.end()];
      const json = `{${ours(type, queuedMs + frame.timeMs, true)},"text":"`;
      return { type, seq, id: idOf(type), json, text, end: '"}' };
    },

    /** The JSON of a frame, of which this is one part, with the id of the event. `decoder` is the frame's own. */
    part(part: FramePart, decoder: StringDecoder): { id: EventId; json: string } {
      seq = part.seq;
      return { id: idOf(part.type), json: partOf(part, decoder) };
    },

    finished(step: Step): RenderedEvent {
      const { opening, ...event } = this.finishing(step);
      return { ...event, json: `${opening}${JSON.stringify(this.shown(step))}}` };
    },

    /** The step as `finished` shows it. */
    shown: <Shown extends Step | OpenedStep>(step: Shown): Shown => (isBrief ? withoutContent(step) : step),

    /** The same, up to the step itself; one brace follows it. */
    finishing(
      step: Pick<Step, 'status' | 'contextEpoch' | 'finishedAt'>,
    ): Pick<RenderedEvent, 'type' | 'seq' | 'id'> & { opening: string } {
      const opening = `{${end(step)},"step":`;
      return { type: 'finished', seq, id: idOf('finished'), opening };
    },

    /** The seq of the last event. */
    seq: () => seq,
  };
}

/** Clients may have seen more events of a lost step than are recorded, and its end comes behind all of them. */
export const lostEndSeq = eventSeqMax;

const withoutContent = <Shown extends Step | OpenedStep>(step: Shown): Shown => ({
  ...step,
  stdout: '',
  stderr: '',
  results: [],
  ...(step.expressions && { expressions: {} }),
});

/** Less output is rendered as text, which is simpler and as fast. */
const outputBytesMin = 4096;

const isOutput = (type: string): boolean => type === 'stdout' || type === 'stderr';

function wholeFrame(bytes: Buffer): Frame {
  const frame = frameAt(bytes, 0);
  if (!frame) throw new FrameError('a frame of the log is cut off');
  return frame;
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** The payload as text without line breaks: an agent may put some between JSON tokens, and both stream formats end a line there. */
function oneLine(payload: Buffer): string {
  const text = payload.toString();
  if (!payload.includes(lineFeed) && !payload.includes(carriageReturn) && text.startsWith('{')) return text;
  return JSON.stringify(JSON.parse(text));
}
