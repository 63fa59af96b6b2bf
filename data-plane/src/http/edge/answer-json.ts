import { setImmediate as untilNextTurn } from 'node:timers/promises';
import { isLong, type JsonSlice, jsonSlices, type LongAnswer } from '../../reading/json-slices.ts';
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
        await onChunk(chunk);
        signal.throwIfAborted();
      }
    },
  });
}

const chunkBytes = 128 * 1024;

/** The same text in chunks of moderate length, with time for other work between them. */
export async function* inChunks(slices: AsyncIterable<JsonSlice>): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [];
  let text = '';
  let bytes = 0;
  const add = (part: Buffer) => {
    parts.push(part);
    bytes += part.length;
  };
  for await (const slice of slices) {
    if (typeof slice === 'string') text += slice;
    else {
      if (text) add(Buffer.from(text));
      text = '';
      add(slice);
    }
    if (bytes + text.length < chunkBytes) continue;
    if (text) add(Buffer.from(text));
    yield Buffer.concat(parts);
    text = '';
    parts = [];
    bytes = 0;
    await untilNextTurn();
  }
  if (text) add(Buffer.from(text));
  if (bytes > 0) yield Buffer.concat(parts);
}
