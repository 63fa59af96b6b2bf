import type { IncomingMessage } from 'node:http';
import { Problem } from '@holdfast/specs/public';
import type { Edge, EdgeContext } from './edge.ts';

/** A body that is read as it comes. `size` is the length that it announces, in bytes. */
export type StreamedBody = { body: AsyncIterable<Uint8Array>; size: number | undefined };

/**
 * The body of a request as it comes, no faster than it is read. A client that sends nothing for too long is disconnected.
 * @throws Problem `unsupported-media-type` if it has an encoding; while it is read, `invalid-request` if it is cut off
 */
export function streamBody({ stalledWriterMs }: Pick<Edge, 'stalledWriterMs'>, c: EdgeContext): StreamedBody {
  const incoming = c.env?.incoming;
  if (!incoming) throw new Error('a body can only be streamed by a server');
  if ((c.req.header('content-encoding') ?? 'identity').toLowerCase() !== 'identity') {
    throw new Problem('unsupported-media-type', { detail: 'send the body without a Content-Encoding' });
  }
  const announced = c.req.header('content-length');
  return {
    body: piecesOf(incoming as IncomingMessage, stalledWriterMs),
    size: announced === undefined ? undefined : Number(announced),
  };
}

async function* piecesOf(incoming: IncomingMessage, stalledWriterMs: number): AsyncGenerator<Uint8Array> {
  // If the reader leaves early, the server reads on and drops the rest; otherwise the refusal would not get through.
  const pieces: AsyncIterator<Uint8Array> = incoming.iterator({ destroyOnReturn: false });
  try {
    for (;;) {
      const stalled = setTimeout(() => incoming.destroy(new Error('the body has stalled')), stalledWriterMs);
      const piece = await pieces.next().finally(() => clearTimeout(stalled));
      if (piece.done) return;
      yield piece.value;
    }
  } catch (cause) {
    throw new Problem('invalid-request', { detail: 'the body was cut off', cause });
  } finally {
    await pieces.return?.();
  }
}
