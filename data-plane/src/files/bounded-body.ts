import { Problem } from '@holdfast/specs/public';

/** The pieces of a body as they come. Throws Problem `body-too-large` beyond `bytesMax`. */
export async function* boundedBody(body: AsyncIterable<Uint8Array>, bytesMax: number): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const piece of body) {
    bytes += piece.length;
    if (bytes > bytesMax) throw bodyTooLarge(bytesMax);
    yield piece;
  }
}

/** A body with more bytes than it may have. */
export const bodyTooLarge = (bytesMax: number) =>
  new Problem('body-too-large', { detail: `the limit is ${bytesMax} bytes` });
