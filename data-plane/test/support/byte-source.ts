import { createHash } from 'node:crypto';

/** Bytes that look random and are the same for the same seed. */
export function someBytes(size: number, seed: string): Buffer {
  const block = Buffer.concat(
    Array.from({ length: 256 }, (_, index) => createHash('sha256').update(`${seed} ${index}`).digest()),
  );
  const bytes = Buffer.alloc(size, block);
  // No two blocks are alike, so that one in another's place shows.
  for (let at = 0; at + 4 <= size; at += block.length) bytes.writeUInt32BE(at / block.length, at);
  return bytes;
}

/** The bytes in chunks as a connection gives them. `failure` is thrown in place of an end. */
export async function* chunksOf(
  bytes: Buffer,
  { chunkBytes = 65_521, failure }: { chunkBytes?: number; failure?: Error } = {},
) {
  for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
  if (failure) throw failure;
}

export async function readAll(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of source) chunks.push(chunk);
  return Buffer.concat(chunks);
}
