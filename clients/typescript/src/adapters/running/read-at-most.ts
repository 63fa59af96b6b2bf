/**
 * The beginning of a stream. The rest is not fetched, since a file of a sandbox can be larger than any memory, or than it was a moment ago.
 */
export async function readAtMost(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  bytesMax: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let left = bytesMax;
  for await (const piece of stream) {
    pieces.push(piece.subarray(0, left));
    left -= piece.length;
    if (left <= 0) break;
  }
  return new Uint8Array(await new Blob(pieces).arrayBuffer());
}
