import type { CallOptions, Connection } from '../http/create-api.ts';
import { endedWith } from '../http/ended-with.ts';
import { HoldfastError } from '../http/holdfast-error.ts';

type Place = { sessionId: string; path: string };

/**
 * The bytes of a file. After a break it goes on behind the last byte, if the file is still the same.
 * @throws HoldfastError also while it is read: with `precondition-failed` if the file has changed since the connection broke
 */
export async function readFile(
  connection: Connection,
  path: Place,
  { signal }: CallOptions = {},
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  const stop = endedWith(signal);
  const patience = connection.patience(stop.signal);
  let etag: string | null = null;
  let received = 0;
  let size = Number.POSITIVE_INFINITY;

  const open = async () => {
    const header = etag ? { Range: `bytes=${received}-`, 'If-Match': etag } : {};
    const { data, response } = await connection.api.GET('/v1/sessions/{sessionId}/files/{path}', {
      params: { path, header },
      parseAs: 'stream',
      signal: stop.signal,
    });
    if (received === 0) {
      etag = response.headers.get('ETag');
      // The length of a body that a proxy compressed is not that of the file.
      if (!response.headers.has('Content-Encoding')) size = Number(response.headers.get('Content-Length') ?? size);
    } else if (response.status !== 206) {
      throw new HoldfastError('unexpected-answer', 'The rest of a file was asked for, and its beginning came');
    }
    return (data as ReadableStream<Uint8Array<ArrayBuffer>> | null | undefined)?.getReader();
  };

  /** The next bytes, over as many connections as it takes; null at the end. */
  const next = async () => {
    for (;;) {
      try {
        const piece = await reader?.read();
        signal?.throwIfAborted();
        if (!piece || piece.done) return null;
        received += piece.value.byteLength;
        patience.renew();
        return piece.value;
      } catch (cause) {
        signal?.throwIfAborted();
        if (received >= size) return null;
        if (!etag || !(await patience.again())) {
          throw new HoldfastError('connection-failed', 'The file broke off before its end', { cause });
        }
        reader = await open();
      }
    }
  };

  let reader = await open().catch((error) => {
    stop.end();
    throw error;
  });
  stop.signal.addEventListener('abort', () => void reader?.cancel().catch(() => {}));
  return new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      try {
        const bytes = await next();
        if (bytes) return controller.enqueue(bytes);
        controller.close();
        stop.end();
      } catch (error) {
        stop.end();
        throw error;
      }
    },
    cancel() {
      stop.end();
    },
  });
}
