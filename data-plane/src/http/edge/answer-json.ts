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
/** A slice of this length is a chunk by itself, because copying costs more than another write. */
const largeBytes = 16 * 1024;

/** The same text in chunks of moderate length, with time for other work between them. */
export async function* inChunks(slices: AsyncIterable<JsonSlice>): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [];
  let text = '';
  let bytes = 0;
  let sinceTurn = 0;
  const add = (part: Buffer) => {
    parts.push(part);
    bytes += part.length;
  };
  const addText = () => {
    if (text) add(Buffer.from(text));
    text = '';
  };
  const take = (): Buffer => {
    const chunk = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
    sinceTurn += bytes;
    parts = [];
    bytes = 0;
    return chunk;
  };
  for await (const slice of slices) {
    if (typeof slice === 'string') text += slice;
    else {
      addText();
      if (slice.length >= largeBytes && bytes > 0) yield take();
      add(slice);
    }
    const isLarge = typeof slice !== 'string' && slice.length >= largeBytes;
    if (!isLarge && bytes + text.length < chunkBytes) continue;
    addText();
    yield take();
    if (sinceTurn < chunkBytes) continue;
    sinceTurn = 0;
    await untilNextTurn();
  }
  addText();
  if (bytes > 0) yield take();
}
