import { Problem } from '@holdfast/specs/public';

/**
 * Passes on the pieces of a body.
 * @throws Problem 413 beyond `bytesMax`
 */
export async function* boundedBody(
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  bytesMax: number,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const piece of body) {
    bytes += piece.length;
    if (bytes > bytesMax) throw bodyTooLarge(bytesMax);
    yield piece;
  }
}

export const bodyTooLarge = (bytesMax: number) =>
  new Problem('body-too-large', { detail: `the limit is ${bytesMax} bytes` });
