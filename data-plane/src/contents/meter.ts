import { createHash } from 'node:crypto';
import type { Content } from './contents.ts';

/**
 * Hashes and counts the bytes that pass through it.
 * @throws ContentTooLarge beyond `bytesMax`.
 */
export function createMeter({ bytesMax }: { bytesMax: number }) {
  const hash = createHash('sha256');
  let size = 0;
  let sha256: string | null = null;
  return {
    async *through(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
      for await (const chunk of source) {
        size += chunk.length;
        if (size > bytesMax) throw new ContentTooLarge(bytesMax);
        hash.update(chunk);
        yield chunk;
      }
    },
    /** The hash and the size of all bytes. Call it after the last one has passed. */
    content(): Content {
      sha256 ??= hash.digest('hex');
      return { sha256, size };
    },
  };
}

/** The source gave more bytes than the caller allows. */
export class ContentTooLarge extends Error {
  readonly bytesMax: number;

  constructor(bytesMax: number) {
    super(`the content has more than ${bytesMax} bytes`);
    this.name = 'ContentTooLarge';
    this.bytesMax = bytesMax;
  }
}
