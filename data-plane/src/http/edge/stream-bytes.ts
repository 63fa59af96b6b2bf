import { once } from 'node:events';
import type { OutgoingHttpHeaders } from 'node:http';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { AnswerSink } from '../../files/relay-from-agent.ts';
import type { Edge, EdgeContext } from './edge.ts';

type ByteStream = {
  /** Called when the first byte is there, or at the end if there is none. */
  head(): { status: number; headers: OutgoingHttpHeaders };
  /** Resolves when all bytes were given to `onChunk`. If that returns a promise, the rest waits for it. */
  read(sink: Pick<AnswerSink, 'onChunk' | 'signal'>): Promise<void>;
};

/**
 * Answers with the bytes that `read` gives, no faster than the client takes them. An error before the first byte is thrown. A later one
 * breaks the connection off, so that the client cannot take a part for the whole.
 */
export async function streamBytes(
  { stalledReaderMs, log }: Pick<Edge, 'stalledReaderMs' | 'log'>,
  c: EdgeContext,
  { head, read }: ByteStream,
): Promise<Response> {
  const outgoing = c.env?.outgoing;
  if (!outgoing) throw new Error('bytes can only be streamed by a server');
  const gone = new AbortController();
  const onClose = () => gone.abort();
  outgoing.once('close', onClose);
  const begin = () => {
    const { status, headers } = head();
    outgoing.writeHead(status, headers);
  };
  const onChunk = (chunk: Uint8Array) => {
    if (!outgoing.headersSent) begin();
    if (outgoing.write(chunk)) return;
    // A client that does not read for too long is disconnected.
    return once(outgoing, 'drain', { signal: AbortSignal.any([gone.signal, AbortSignal.timeout(stalledReaderMs)]) });
  };
  try {
    await read({ onChunk, signal: gone.signal });
    if (!outgoing.headersSent) begin();
    outgoing.end();
  } catch (error) {
    if (gone.signal.aborted) c.get('event').disconnected = true;
    else if (!outgoing.headersSent) throw error;
    else log.warn({ requestId: c.get('requestId'), err: error }, 'a stream of bytes was broken off');
    outgoing.destroy();
  } finally {
    outgoing.off('close', onClose);
  }
  return RESPONSE_ALREADY_SENT;
}

/** Headers of bytes that untrusted code wrote: a browser must not take them for a page of this server. */
export const untrustedContent = { 'Content-Security-Policy': "sandbox; default-src 'none'" } as const;
