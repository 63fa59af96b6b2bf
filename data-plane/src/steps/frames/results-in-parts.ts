import { StringDecoder } from 'node:string_decoder';
import type { FramePart } from './frame-parts.ts';

/** The place of an update in a step's frames, and its seq. */
export type UpdatePlace = { from: number; end: number; seq: number };

type Updates = {
  /** The last update by the id of what it updates. */
  updates: ReadonlyMap<string, UpdatePlace>;
  read(place: UpdatePlace): AsyncIterable<FramePart[]>;
};

/**
 * The results of a step as a JSON array in slices, each with the content of the last update that came after it. Their payloads are JSON
 * already. At most one update is in memory as a whole.
 */
export async function* resultsInParts(
  parts: AsyncIterable<FramePart[]>,
  { updates, read }: Updates,
): AsyncGenerator<string> {
  const decoder = new StringDecoder();
  let before = '[';
  let replacedSeq = 0;
  for await (const batch of parts) {
    let slice = '';
    for (const part of batch) {
      if (part.type !== 'result' || part.seq === replacedSeq) continue;
      if (part.isFirst) {
        slice += before;
        before = ',';
        const id = updates.size > 0 ? displayIdAt(part) : null;
        const update = id === null ? undefined : updates.get(id);
        if (id !== null && update && update.seq > part.seq) {
          yield slice;
          slice = `{"isMain":${isMainAt(part)},${(await payloadAt(read(update))).slice(1)}`;
          replacedSeq = part.seq;
          continue;
        }
      }
      slice += decoder.write(part.payload);
    }
    yield slice;
  }
  yield ']';
}

async function payloadAt(parts: AsyncIterable<FramePart[]>): Promise<string> {
  for await (const batch of parts) for (const { payload } of batch) return payload.toString();
  throw new Error('the frames of an update are not in the log');
}

/** The head of a result or an update that has a display id, as the data-plane writes them: in the order of their schema. */
const head = /^\{"displayId":("(?:[^"\\]|\\.)*"),(?:"isMain":(true|false))?/;
const headOf = ({ payload }: Pick<FramePart, 'payload'>) => head.exec(payload.subarray(0, 2048).toString());

/** The display id of a result or an update by its first part; null if it has none. */
export function displayIdAt(part: Pick<FramePart, 'payload'>): string | null {
  const id = headOf(part)?.[1];
  return id === undefined ? null : JSON.parse(id);
}

const isMainAt = (part: Pick<FramePart, 'payload'>): boolean => headOf(part)?.[2] === 'true';
