import { Readable } from 'node:stream';
import type { OnChunk } from './agent-request.ts';

/**
 * The chunks that `send` gives, as a stream. The request begins when the stream is first read, and goes no faster than it is read.
 * Destroying the stream ends the request; if `send` rejects, the stream ends with that error.
 */
export function pullChunks(
  send: (onChunk: OnChunk, signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Readable {
  const stop = new AbortController();
  let goOn = () => {
    goOn = () => {};
    send(onChunk, AbortSignal.any([signal, stop.signal])).then(
      () => body.push(null),
      (error) => body.destroy(error),
    );
  };
  const body = new Readable({ read: () => goOn() });
  const onChunk: OnChunk = (chunk) => {
    if (body.push(chunk)) return;
    return new Promise<void>((resolve) => {
      goOn = resolve;
    });
  };
  body.once('close', () => stop.abort());
  // A reader gets the error itself. Without a reader, an error event that is not handled would end the process.
  body.on('error', () => {});
  return body;
}
