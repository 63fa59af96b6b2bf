/** A text of which the middle may be missing. */
export type Clipped = { text: string; omittedBytes: number };

/**
 * Keeps the first and the last bytes of a text that may be very long, `sideBytesMax` of each, and counts those between them.
 */
export function createHeadAndTail(sideBytesMax: number) {
  const head: Uint8Array[] = [];
  let headBytes = 0;
  let tail: Uint8Array[] = [];
  let tailBytes = 0;
  let omittedBytes = 0;

  return {
    add(piece: Uint8Array): void {
      const forHead = piece.subarray(0, sideBytesMax - headBytes);
      if (forHead.length > 0) head.push(forHead);
      headBytes += forHead.length;
      const rest = piece.subarray(forHead.length);
      if (rest.length === 0) return;
      tail.push(rest);
      tailBytes += rest.length;
      // At twice the size, so that each byte is copied once.
      if (tailBytes < 2 * sideBytesMax) return;
      const joined = Buffer.concat(tail);
      omittedBytes += joined.length - sideBytesMax;
      tail = [Buffer.from(joined.subarray(-sideBytesMax))];
      tailBytes = sideBytesMax;
    },

    /** Bytes that are missing already. */
    omit(bytes: number): void {
      omittedBytes += bytes;
    },

    /** The text, with a mark at the place of what is missing. */
    clipped(): Clipped {
      const joined = Buffer.concat(tail);
      const end = joined.subarray(Math.max(0, joined.length - sideBytesMax));
      const omitted = omittedBytes + joined.length - end.length;
      const beginning = Buffer.concat(head);
      if (omitted === 0) return { text: Buffer.concat([beginning, end]).toString(), omittedBytes: 0 };
      const mark = `\n[… ${omitted} bytes are left out here …]\n`;
      return { text: withoutCutEnd(beginning) + mark + withoutCutStart(end), omittedBytes: omitted };
    },
  };
}

const withoutCutEnd = (bytes: Uint8Array): string => new TextDecoder().decode(bytes, { stream: true });

/** A character of UTF-8 has at most three bytes after its first one. */
function withoutCutStart(bytes: Buffer): string {
  let from = 0;
  while (from < 3 && from < bytes.length && ((bytes[from] ?? 0) & 0xc0) === 0x80) from++;
  return bytes.toString('utf8', from);
}

/** The same for a text that is there as a whole. Pure. */
export function clip(text: string, sideBytesMax: number): Clipped {
  const kept = createHeadAndTail(sideBytesMax);
  kept.add(Buffer.from(text));
  return kept.clipped();
}
