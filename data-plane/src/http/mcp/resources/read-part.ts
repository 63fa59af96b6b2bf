import { Problem } from '@holdfast/specs/public';
import type { Call } from '../call/call.ts';

type Reading = Pick<Call, 'verbs' | 'caller' | 'left'>;
type Part = { sessionId: string; path: string; offset: number; length: number };

/** A part of a file with the size and the type of the whole. */
type FilePart = { bytes: Buffer; size: number; mimeType: string };

/**
 * Reads a part of a file, which is empty if the file ends before `offset`.
 * @throws Problem as `readFile` and `statFile` do
 */
export async function readPart(call: Reading, part: Part): Promise<FilePart> {
  const { verbs, caller } = call;
  const { sessionId, path } = part;
  try {
    return await readRange(call, part);
  } catch (error) {
    if (!(error instanceof Problem) || error.slug !== 'range-not-satisfiable') throw error;
    const { size } = await verbs.statFile({ caller, sessionId, path });
    return { bytes: Buffer.alloc(0), size, mimeType: 'text/plain' };
  }
}

async function readRange({ verbs, caller, left }: Reading, { offset, length, ...file }: Part): Promise<FilePart> {
  const enough = new AbortController();
  const chunks: Uint8Array[] = [];
  let head: Record<string, string> = {};
  let wanted = length;
  const reading = verbs.readFile({
    caller,
    ...file,
    headers: { range: `bytes=${offset}-${offset + length - 1}` },
    signal: AbortSignal.any([left, enough.signal]),
    onHead({ headers }) {
      head = headers;
    },
    // An agent may send more than it was asked for.
    onChunk(chunk) {
      chunks.push(Uint8Array.prototype.slice.call(chunk, 0, wanted));
      wanted -= chunk.length;
      if (wanted < 0) enough.abort();
    },
  });
  await reading.catch((error) => {
    if (!enough.signal.aborted) throw error;
  });
  const size = Number(/\/(\d+)$/.exec(head['content-range'] ?? '')?.[1] ?? head['content-length'] ?? 0);
  return { bytes: Buffer.concat(chunks), size, mimeType: head['content-type'] ?? 'application/octet-stream' };
}
