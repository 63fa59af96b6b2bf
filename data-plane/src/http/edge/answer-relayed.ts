import type { OutgoingHttpHeaders } from 'node:http';
import type { FileHead } from '../../files/file-head.ts';
import type { AnswerSink } from '../../files/relay-from-agent.ts';
import type { Edge, EdgeContext } from './edge.ts';
import { streamBytes, untrustedContent } from './stream-bytes.ts';

/** Answers with the head and the bytes that `read` gives. For `HEAD`, nothing is read after the head. */
export function answerRelayed(
  edge: Pick<Edge, 'log'>,
  c: EdgeContext,
  read: (sink: AnswerSink) => Promise<void>,
): Promise<Response> {
  const answer: { head: FileHead } = { head: { status: 200, headers: {} } };
  const isHead = c.req.method === 'HEAD';
  return streamBytes(edge, c, {
    head: () => ({
      status: answer.head.status,
      headers: { ...answer.head.headers, ...untrustedContent } as OutgoingHttpHeaders,
    }),
    async read({ onChunk, signal }) {
      const enough = new AbortController();
      const until = AbortSignal.any([signal, enough.signal]);
      const onHead = (head: FileHead) => {
        answer.head = head;
        if (isHead) enough.abort();
      };
      await read({ onHead, onChunk: isHead ? () => undefined : onChunk, signal: until }).catch((error) => {
        if (!enough.signal.aborted) throw error;
      });
    },
  });
}
