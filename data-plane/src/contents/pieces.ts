/** The size of a row in the Postgres store, and the largest content that one statement stores. Stored objects depend on it. */
export const pieceBytes = 512 * 1024;

/** The same bytes in pieces of `bytes` bytes; only the last may be shorter, and none is empty. Copies each chunk that does not already have that size. */
export async function* piecesOf(
  source: AsyncIterable<Uint8Array>,
  { bytes = pieceBytes }: { bytes?: number } = {},
): AsyncGenerator<Buffer, void, undefined> {
  let piece: Buffer | null = null;
  let filled = 0;
  for await (const chunk of source) {
    if (!piece && chunk.length === bytes) {
      yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
      continue;
    }
    for (let taken = 0; taken < chunk.length; ) {
      piece ??= Buffer.allocUnsafeSlow(bytes);
      const part = chunk.subarray(taken, taken + bytes - filled);
      piece.set(part, filled);
      taken += part.length;
      filled += part.length;
      if (filled < bytes) continue;
      yield piece;
      piece = null;
      filled = 0;
    }
  }
  if (piece) yield piece.subarray(0, filled);
}
