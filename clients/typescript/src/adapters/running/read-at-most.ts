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

/** The most bytes of a file that an adapter reads as a whole, unless the program says otherwise. */
export const fileBytesMaxDefault = 64 * 1024 * 1024;

/** @throws FileTooLarge */
export async function readWhole(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  { path, bytesMax }: { path: string; bytesMax: number },
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await readAtMost(stream, bytesMax + 1);
  if (bytes.length > bytesMax) throw new FileTooLarge(`${path} is larger than ${bytesMax} bytes`);
  return bytes;
}

/** A file exceeds what the program lets an agent read. */
export class FileTooLarge extends Error {
  override readonly name = 'FileTooLarge';
}
