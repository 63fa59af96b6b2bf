import { createJsonEscaper } from './escape-json.ts';

/** The client of an answer. `signal` aborts when the answer has been sent or the client has left. */
export type Reader = { tenant: string; signal: AbortSignal };

/** An answer that is too large to be made at once. */
export type LongAnswer<T extends object = object> = {
  readonly isLong: true;
  /** The answer, with `Streamed` in the place of what is read while it is sent. Reads what must be known before the first byte. */
  open(reader: Reader): Promise<T>;
};

export const isLong = <T extends object>(answer: object | LongAnswer<T>): answer is LongAnswer<T> => 'isLong' in answer;

const jsonText = Symbol('JSON text');

/** A value in an answer whose JSON is made while it is sent, and can be read once; or one whose JSON is there. */
export type Streamed = { readonly [jsonText]: AsyncIterable<JsonSlice> | readonly JsonSlice[] };

/** A part of a JSON text; bytes are UTF-8. */
export type JsonSlice = string | Buffer;

/** A value whose JSON comes in slices. */
export const streamedJson = (slices: AsyncIterable<JsonSlice>): Streamed => ({ [jsonText]: slices });

/** A string whose text comes in pieces of bytes; what is not UTF-8 becomes U+FFFD. */
export const streamedText = (pieces: AsyncIterable<Buffer>): Streamed => streamedJson(quoted(pieces));

async function* quoted(pieces: AsyncIterable<Buffer>): AsyncGenerator<JsonSlice> {
  const escaper = createJsonEscaper();
  yield '"';
  for await (const piece of pieces) yield* escaper.write(piece);
  yield* escaper.end();
  yield '"';
}

/** The same for pieces that are all there; null if the text takes more than `bytesMax` bytes beside them. */
export function escapedText(pieces: readonly Buffer[], { bytesMax }: { bytesMax: number }): Streamed | null {
  const escaper = createJsonEscaper();
  const slices: JsonSlice[] = ['"'];
  let bytes = 0;
  for (const piece of pieces) {
    for (const part of escaper.write(piece)) {
      if (part.buffer !== piece.buffer) bytes += part.length;
      slices.push(part);
    }
    if (bytes > bytesMax) return null;
  }
  slices.push(...escaper.end(), '"');
  return { [jsonText]: slices };
}

/** The JSON of a value of which nothing has to be read, in parts. Long ones share the memory of the value. */
export function jsonParts(value: object): Buffer[] {
  const parts: Buffer[] = [];
  let text = '';
  const addText = () => {
    if (text) parts.push(Buffer.from(text));
    text = '';
  };
  for (const part of partsOf(value)) {
    const slices = typeof part === 'string' ? [part] : part[jsonText];
    if (!Array.isArray(slices)) throw new Error('a part of the value is still to be read');
    for (const slice of slices) {
      if (typeof slice === 'string') text += slice;
      else {
        addText();
        parts.push(slice);
      }
    }
  }
  addText();
  return parts;
}

/** The text between the quotes. Half a surrogate pair is written as an escape, so a pair may be cut. */
const inner = (text: string): string => JSON.stringify(text).slice(1, -1);

/** The most characters of a string that are rendered at once. */
const sliceLength = 64 * 1024;

/** The JSON of a value, like `JSON.stringify`, in slices of moderate length. */
export async function* jsonSlices(value: unknown): AsyncGenerator<JsonSlice> {
  let slice = '';
  for (const part of partsOf(value)) {
    if (typeof part === 'string') slice += part;
    else {
      if (slice) yield slice;
      slice = '';
      yield* part[jsonText];
    }
    if (slice.length < sliceLength) continue;
    yield slice;
    slice = '';
  }
  if (slice) yield slice;
}

function* partsOf(value: unknown): Generator<string | Streamed> {
  if (typeof value === 'string' && value.length > sliceLength) yield* partsOfText(value);
  else if (typeof value !== 'object' || value === null) yield JSON.stringify(value ?? null);
  else if (jsonText in value) yield value as Streamed;
  else if (Array.isArray(value)) yield* partsOfList(value);
  else yield* partsOfObject(value);
}

function* partsOfText(text: string): Generator<string> {
  yield '"';
  for (let at = 0; at < text.length; at += sliceLength) yield inner(text.slice(at, at + sliceLength));
  yield '"';
}

function* partsOfList(items: readonly unknown[]): Generator<string | Streamed> {
  yield '[';
  for (const [index, item] of items.entries()) {
    if (index > 0) yield ',';
    yield* partsOf(item);
  }
  yield ']';
}

function* partsOfObject(value: object): Generator<string | Streamed> {
  let opening = '{';
  for (const [name, field] of Object.entries(value)) {
    if (field === undefined) continue;
    yield `${opening}${JSON.stringify(name)}:`;
    yield* partsOf(field);
    opening = ',';
  }
  yield opening === '{' ? '{}' : '}';
}
