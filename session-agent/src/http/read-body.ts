import type { IncomingMessage } from 'node:http';
import { Problem } from '@holdfast/specs/public';

/**
 * A request's body as it comes, at the pace at which it is read. What nobody reads is thrown away, so that the answer gets through and
 * the connection can be used again.
 *
 * @throws Problem `invalid-request` where it is cut off
 */
export async function* readBody(incoming: IncomingMessage): AsyncGenerator<Buffer> {
  try {
    for await (const piece of incoming.iterator({ destroyOnReturn: false })) yield piece;
  } catch (cause) {
    throw new Problem('invalid-request', { detail: 'the body was cut off', cause });
  } finally {
    // Only once the iteration is over does a stream flow by itself again.
    setImmediate(() => incoming.resume());
  }
}
