import { once } from 'node:events';
import type { OutgoingHttpHeaders } from 'node:http';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { AnswerSink } from '../../files/relay-from-agent.ts';
import type { Edge, EdgeContext } from './edge.ts';

type ByteStream = {
  /** Called when the first byte is there, or at the end if there is none. */
  head(): { status: number; headers: OutgoingHttpHeaders };
  /**
   * Resolves when all bytes were given to `onChunk`. If that returns a promise, the rest waits for it. `signal` aborts when the client
   * leaves, and at the end.
   */
  read(sink: Pick<AnswerSink, 'onChunk' | 'signal'>): Promise<void>;
};

/**
 * Answers with the bytes that `read` gives, no faster than the client takes them. An error before the first byte is thrown. A later one
 * breaks the connection off, so that the client cannot take a part for the whole.
 */
export async function streamBytes(
  { log }: Pick<Edge, 'log'>,
  c: EdgeContext,
  { head, read }: ByteStream,
): Promise<Response> {
  const outgoing = c.env?.outgoing;
  if (!outgoing) throw new Error('bytes can only be streamed by a server');
  const over = new AbortController();
  const onClose = () => over.abort();
  outgoing.once('close', onClose);
  const begin = () => {
    const { status, headers } = head();
    outgoing.writeHead(status, headers);
  };
  const onChunk = (chunk: Uint8Array) => {
    if (!outgoing.headersSent) begin();
    if (!outgoing.write(chunk)) return once(outgoing, 'drain', { signal: over.signal });
  };
  try {
    await read({ onChunk, signal: over.signal });
    if (!outgoing.headersSent) begin();
    outgoing.end();
  } catch (error) {
    if (over.signal.aborted) c.get('event').disconnected = true;
    else if (!outgoing.headersSent) throw error;
    else log.warn({ requestId: c.get('requestId'), err: error }, 'a stream of bytes was broken off');
    outgoing.destroy();
  } finally {
    outgoing.off('close', onClose);
    over.abort();
  }
  return RESPONSE_ALREADY_SENT;
}

/** Headers of bytes that untrusted code wrote: a browser must not take them for a page of this server. */
export const untrustedContent = { 'Content-Security-Policy': "sandbox; default-src 'none'" } as const;
