import type { IncomingMessage } from 'node:http';
import { Problem } from '@holdfast/specs/public';

/**
 * Streams the body of a request at the speed at which it is read. The unread rest is discarded, so that the answer gets through and the
 * connection can be reused.
 *
 * @throws Problem `invalid-request` if the body is cut off
 */
export async function* readBody(incoming: IncomingMessage): AsyncGenerator<Buffer> {
  try {
    for await (const piece of incoming.iterator({ destroyOnReturn: false })) yield piece;
  } catch (cause) {
    throw new Problem('invalid-request', { detail: 'the body was cut off', cause });
  } finally {
    // A stream can flow by itself again only after the iteration has ended.
    setImmediate(() => incoming.resume());
  }
}
