import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { asProblem } from '../../edge/answer-problem.ts';
import type { Edge, RequestEvent } from '../../edge/edge.ts';
import type { EventFormat } from './event-format.ts';
import type { SessionChunk } from './session-chunks.ts';

type Input = {
  chunks: AsyncGenerator<SessionChunk, void, undefined>;
  format: EventFormat;
  signal: AbortSignal;
  requestId: string;
  event: RequestEvent;
};

/**
 * Writes the stream of a session no faster than the client takes it. Resolves when it has ended or the client is gone. Never rejects:
 * after the head, an error can only be written into the stream.
 */
export async function streamSession(
  { log }: Pick<Edge, 'log'>,
  outgoing: ServerResponse,
  { chunks, format, signal, requestId, event }: Input,
): Promise<void> {
  let isWhole = true;
  outgoing.statusCode = 200;
  outgoing.setHeader('Content-Type', format.contentType);
  outgoing.setHeader('X-Accel-Buffering', 'no');
  // A client has to learn that the stream is open, even if nothing happens in the session.
  outgoing.flushHeaders();
  try {
    for await (const chunk of chunks) {
      isWhole = chunk.isWhole;
      if (chunk.text.length > 0 && !outgoing.write(chunk.text)) await once(outgoing, 'drain', { signal });
    }
    if (!signal.aborted) outgoing.end();
  } catch (error) {
    if (!signal.aborted) {
      log.error({ requestId, err: error }, 'a stream of events failed');
      event.problem = asProblem(error).slug;
      if (isWhole) outgoing.end(format.failure(JSON.stringify(asProblem(error).body(requestId))));
    }
    // An event may be written in part, and nothing can be said in the middle of it.
    if (!isWhole) outgoing.destroy();
  }
  event.disconnected = signal.aborted || undefined;
}
