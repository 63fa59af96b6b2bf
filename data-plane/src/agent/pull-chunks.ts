import { Readable } from 'node:stream';
import type { OnChunk } from './agent-request.ts';

/**
 * The chunks that `send` gives, as a stream, which asks for them once it is read and holds back what is not read yet. Destroying it ends
 * the request; it ends with the error that `send` rejects with.
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
  // Whoever reads is told; where nobody does, there is nobody to tell.
  body.on('error', () => {});
  return body;
}
