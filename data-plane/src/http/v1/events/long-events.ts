import { StringDecoder } from 'node:string_decoder';
import { type JsonSlice, jsonSlices, type Reader } from '../../../reading/json-slices.ts';
import type { FramePart } from '../../../steps/frames/frame-parts.ts';
import type { LongStep } from '../../../steps/long-step.ts';
import type { EventFormat } from './event-format.ts';
import type { createEventRenderer } from './event-renderer.ts';

type EventRenderer = ReturnType<typeof createEventRenderer>;

type LongEvents = {
  end: LongStep;
  format: EventFormat;
  after: number;
  /** Whether the client is known not to have the last event, whatever its seq. */
  isEndNew?: boolean;
  reader: Reader;
};

/** The events of a long step that `render` has not rendered yet and that have a seq above `after`, in slices of text. */
export async function* longEvents(
  render: EventRenderer,
  { end, format, after, isEndNew = false, reader }: LongEvents,
): AsyncGenerator<JsonSlice> {
  if (end.frames) yield* replayed(render, { batches: end.frames(reader), format, after });
  const step = await end.open(reader);
  const { opening, ...event } = render.finishing(step);
  if (!isEndNew && event.seq <= after) return;
  yield format.before(event) + opening;
  yield* jsonSlices(render.shown(step));
  yield `}${format.behind}`;
}

type Replay = { batches: AsyncIterable<FramePart[]>; format: EventFormat; after: number };

async function* replayed(render: EventRenderer, { batches, format, after }: Replay): AsyncGenerator<JsonSlice> {
  const known = render.seq();
  let decoder = new StringDecoder();
  for await (const batch of batches) {
    let slice = '';
    for (const part of batch) {
      if (part.seq <= known) continue;
      if (part.isFirst) decoder = new StringDecoder();
      const { id, json } = render.part(part, decoder);
      if (part.seq <= after) continue;
      if (part.isFirst) slice += format.before({ type: part.type, id });
      slice += json;
      if (part.isLast) slice += format.behind;
    }
    yield slice;
  }
}
