import type { SessionEvent } from '../generated/api.ts';
import { type CallOptions, type Connection, eventStream } from '../http/create-api.ts';
import { endedWith } from '../http/ended-with.ts';
import { resumedEvents } from '../http/resumed-events.ts';

/** The place in the history of a session at which its events begin. */
export type FollowOptions = CallOptions & {
  /** `start`: all that is recorded comes first. `now`: only the steps that have not ended. Default: `start`. */
  from?: 'start' | 'now' | undefined;
  /** The `cursor` of the last event that you have seen, to go on behind it. */
  after?: string | undefined;
};

/** Everything that happens in a session, by all actors. Ends when the session has ended. */
export async function* followSession(
  connection: Connection,
  sessionId: string,
  { from, after, signal }: FollowOptions = {},
): AsyncGenerator<SessionEvent, void, undefined> {
  const stop = endedWith(signal);
  try {
    yield* resumedEvents<SessionEvent>({
      async open(last) {
        const cursor = last?.cursor ?? after;
        const query = cursor ? { after: cursor } : from ? { from } : {};
        const { data } = await connection.api.GET('/v1/sessions/{sessionId}/events', {
          params: { path: { sessionId }, query },
          parseAs: 'stream',
          headers: eventStream,
          signal: stop.signal,
        });
        return (data as ReadableStream<Uint8Array> | undefined) ?? null;
      },
      isLast: () => false,
      patience: connection.patience(stop.signal),
      signal: stop.signal,
    });
  } finally {
    stop.end();
  }
}
