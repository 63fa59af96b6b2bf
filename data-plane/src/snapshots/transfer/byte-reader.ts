/** Reads a stream in parts of known length. */
export function createByteReader(source: AsyncIterable<Uint8Array>) {
  const chunks = source[Symbol.asyncIterator]();
  /** Bytes that came and are not read yet. */
  let rest: Uint8Array = Buffer.alloc(0);

  /** False at the end. */
  async function more(): Promise<boolean> {
    const next = await chunks.next();
    if (next.done) return false;
    rest = next.value;
    return true;
  }

  return {
    /** The text up to the next line break; null if none comes within `bytesMax` bytes. */
    async line(bytesMax: number): Promise<string | null> {
      const parts: Uint8Array[] = [];
      let length = 0;
      do {
        const end = rest.indexOf(0x0a);
        const part = end < 0 ? rest : rest.subarray(0, end);
        parts.push(part);
        length += part.length;
        if (length > bytesMax) return null;
        if (end >= 0) {
          rest = rest.subarray(end + 1);
          return Buffer.concat(parts).toString();
        }
      } while (await more());
      rest = Buffer.alloc(0);
      return null;
    },

    /** The next `count` bytes, or fewer if the stream ends. */
    async *bytes(count: number): AsyncGenerator<Uint8Array, void, undefined> {
      for (let left = count; left > 0; ) {
        if (rest.length === 0 && !(await more())) return;
        const part = rest.subarray(0, left);
        rest = rest.subarray(part.length);
        left -= part.length;
        yield part;
      }
    },

    /** Whether nothing follows. */
    async isAtEnd(): Promise<boolean> {
      while (rest.length === 0) if (!(await more())) return true;
      return false;
    },

    async close(): Promise<void> {
      await chunks.return?.();
    },
  };
}

export type ByteReader = ReturnType<typeof createByteReader>;
