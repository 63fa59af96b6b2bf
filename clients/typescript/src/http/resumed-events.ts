import { connectionBroke, errorOfProblem, HoldfastError } from './holdfast-error.ts';
import type { Patience } from './patience.ts';
import { readEvents } from './read-events.ts';

type StreamSource<Event> = {
  /** Opens the stream behind an event that has arrived; null: from its beginning. Resolves to null if nothing comes any more. */
  open(last: Event | null): Promise<ReadableStream<Uint8Array> | null>;
  /** Whether the stream ends with this event. */
  isLast(event: Event): boolean;
  /** The end of a stream of which nothing more is recorded, although `last` was not its end. Without it, the events just end. */
  missingEnd?(last: Event): Promise<Event>;
  /** Whether `event` comes behind `last` in the stream. Those that do not have been seen before. */
  isBehind?(event: Event, last: Event): boolean;
  patience: Patience;
  signal?: AbortSignal | undefined;
};

/**
 * The events of a stream, each once and in order, over as many connections as it takes.
 * @throws HoldfastError if the server refuses to go on, or stays away for longer than the client waits
 */
export async function* resumedEvents<Event>(source: StreamSource<Event>): AsyncGenerator<Event, void, undefined> {
  const { patience, signal } = source;
  let last: Event | null = null;
  for (;;) {
    const body = await source.open(last);
    if (!body) {
      if (last !== null && source.missingEnd) yield await source.missingEnd(last);
      return;
    }
    let broken: HoldfastError;
    try {
      for await (const { type, data } of readEvents(body, { signal })) {
        if (type === 'problem') throw errorOfProblem(JSON.parse(data));
        const event = JSON.parse(data) as Event;
        if (last !== null && source.isBehind && !source.isBehind(event, last)) continue;
        last = event;
        patience.renew();
        yield event;
        if (source.isLast(event)) return;
      }
      broken = connectionBroke();
    } catch (error) {
      signal?.throwIfAborted();
      broken = error instanceof HoldfastError ? error : connectionBroke(error);
    }
    // It would come again.
    if (broken.code === 'unexpected-answer') throw broken;
    if (!(await patience.again(broken.retryAfterSeconds))) throw broken;
  }
}
