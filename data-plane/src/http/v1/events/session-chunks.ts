import { isLong } from '../../../reading/json-slices.ts';
import type { SessionStream } from '../../../sharing/follow-session.ts';
import type { OpenStep, StepEvents } from '../../../sharing/open-step.ts';
import type { AuditEvent } from '../../../sharing/read-happenings.ts';
import type { LongStep } from '../../../steps/long-step.ts';
import { inChunks } from '../../edge/answer-json.ts';
import { type EventFormat, lineOf, withOutput } from './event-format.ts';
import { createEventRenderer } from './event-renderer.ts';
import { longEvents } from './long-events.ts';

/** About the most text, in characters, that is written at once, and so waits in memory for a slow client. */
const chunkLength = 65_536;

/** Text of a stream. `isWhole`: the next chunk begins with an event. */
export type SessionChunk = { text: string | Buffer; isWhole: boolean };

type Input = {
  sessionId: string;
  stream: SessionStream;
  format: EventFormat;
  tenant: string;
  quietMs: number;
  isBrief: boolean;
  signal: AbortSignal;
};

/** The stream of a session as it is written. Each event has the cursor behind it, and moves the reader's position there. */
export async function* sessionChunks({
  sessionId,
  stream,
  format,
  quietMs,
  isBrief,
  ...reader
}: Input): AsyncGenerator<SessionChunk, void, undefined> {
  const { position } = stream;
  const renderers = new WeakMap<OpenStep, EventRenderer>();
  const rendererOf = (step: OpenStep): EventRenderer => {
    const cursorOf = ({ type, seq }: { type: string; seq: number }) => {
      if (type === 'finished') position.end(step.number);
      else position.advance(step.number, seq);
      return position.cursor;
    };
    const renderer = renderers.get(step) ?? createEventRenderer(step.subject, { cursorOf, isBrief });
    renderers.set(step, renderer);
    return renderer;
  };
  for await (const happening of stream.happenings(quietMs)) {
    if (happening === 'quiet') yield { text: format.heartbeat, isWhole: true };
    else if ('entry' in happening) {
      position.passEntry(happening.entry.number);
      yield { text: entryLine(happening.entry, { sessionId, cursor: position.cursor, format }), isWhole: true };
    } else yield* stepChunks(rendererOf(happening.step), { events: happening, format, ...reader });
  }
}

type EntryPlace = { sessionId: string; cursor: string; format: EventFormat };

function entryLine({ number: seq, ...entry }: AuditEvent, { sessionId, cursor, format }: EntryPlace): string {
  const json = JSON.stringify({ type: 'session', ...entry, sessionId, cursor });
  return lineOf({ type: 'session', seq, id: cursor, json }, format);
}

type EventRenderer = ReturnType<typeof createEventRenderer>;

type Rendering = { events: StepEvents; format: EventFormat; tenant: string; signal: AbortSignal };

async function* stepChunks(
  render: EventRenderer,
  { events: { step, frames, finished }, format, tenant, signal }: Rendering,
): AsyncGenerator<SessionChunk, void, undefined> {
  let text = '';
  for (const frame of frames) {
    const rendered = render.frame(frame);
    if (rendered.seq <= step.seenSeq) continue;
    if ('text' in rendered) {
      yield { text: withOutput(text, rendered, format), isWhole: true };
      text = '';
    } else text += lineOf(rendered, format);
    if (text.length < chunkLength) continue;
    yield { text, isWhole: true };
    text = '';
  }
  if (finished && !isLong(finished)) text += lineOf(render.finished(finished), format);
  if (text) yield { text, isWhole: true };
  if (finished && isLong(finished))
    yield* longChunks(render, { end: finished, after: step.seenSeq, format, tenant, signal });
}

type LongRendering = Omit<Rendering, 'events'> & { end: LongStep; after: number };

/** The step has its turn among large answers until it is sent, and no longer: the stream may go on for days. */
async function* longChunks(
  render: EventRenderer,
  { end, after, format, tenant, signal }: LongRendering,
): AsyncGenerator<SessionChunk, void, undefined> {
  const over = new AbortController();
  const reader = { tenant, signal: AbortSignal.any([signal, over.signal]) };
  try {
    const slices = longEvents(render, { end, format, after, reader, isEndNew: true });
    for await (const chunk of inChunks(slices)) yield { text: chunk, isWhole: false };
    yield { text: '', isWhole: true };
  } finally {
    over.abort();
  }
}
