import { setImmediate as untilNextTurn } from 'node:timers/promises';
import { isLong, jsonSlices, type LongAnswer } from '../../reading/json-slices.ts';
import type { Edge, EdgeContext } from './edge.ts';
import { streamBytes } from './stream-bytes.ts';

/** Answers with JSON. A long answer is made while it is sent, no faster than the client takes it. */
export async function answerJson(
  edge: Pick<Edge, 'log'>,
  c: EdgeContext,
  answer: object | LongAnswer,
  status: 200 | 202 = 200,
): Promise<Response> {
  if (!isLong(answer)) return c.json(answer, status);
  const headers = { 'Content-Type': 'application/json' };
  return await streamBytes(edge, c, {
    head: () => ({ status, headers }),
    async read({ onChunk, signal }) {
      const opened = await answer.open({ tenant: c.get('caller').tenant, signal });
      for await (const chunk of inChunks(jsonSlices(opened))) {
        await onChunk(Buffer.from(chunk));
        signal.throwIfAborted();
      }
    },
  });
}

const chunkLength = 64 * 1024;

/** The same text in chunks of moderate length, with time for other work between them. */
export async function* inChunks(slices: AsyncIterable<string>): AsyncGenerator<string> {
  let chunk = '';
  for await (const slice of slices) {
    chunk += slice;
    if (chunk.length < chunkLength) continue;
    yield chunk;
    chunk = '';
    await untilNextTurn();
  }
  if (chunk) yield chunk;
}
