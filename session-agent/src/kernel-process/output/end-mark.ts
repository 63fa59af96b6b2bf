import { incompleteCharacterBytes } from './incomplete-character.ts';

const nothing: Buffer = Buffer.alloc(0);

/** Splits one stream of a kernel at the end marks of its steps. */
export type EndMarkSplitter = {
  /** A step begins: bytes belong to it until this mark comes. */
  begin(mark: Buffer): void;
  /** Takes the next bytes. Returns true if they complete the step's end mark. */
  push(chunk: Buffer): boolean;
  /** Ends the step without its mark, and passes on the bytes that were held back. */
  end(): void;
};

/**
 * The kernel writes an end mark to each stream after the code of a step, so the bytes before the mark are the step's own. `onStep` gets
 * these, without the mark, and half a character only at the step's end. `onBackground` gets the bytes between steps. Bytes at the end of
 * a chunk that may begin a mark or a character are held back until the next chunk.
 */
export function createEndMarkSplitter(
  onStep: (bytes: Buffer) => void,
  onBackground: (bytes: Buffer) => void,
): EndMarkSplitter {
  let mark: Buffer | null = null;
  let waiting: Buffer = nothing;

  return {
    begin(next) {
      mark = next;
    },
    push(chunk) {
      if (!mark) {
        onBackground(chunk);
        return false;
      }
      const bytes = waiting.length > 0 ? Buffer.concat([waiting, chunk]) : chunk;
      const at = bytes.indexOf(mark);
      if (at < 0) {
        const cut = bytes.length - heldBackBytes(bytes, mark);
        waiting = bytes.subarray(cut);
        if (cut > 0) onStep(bytes.subarray(0, cut));
        return false;
      }
      const after = bytes.subarray(at + mark.length);
      waiting = nothing;
      mark = null;
      if (at > 0) onStep(bytes.subarray(0, at));
      if (after.length > 0) onBackground(after);
      return true;
    },
    end() {
      const rest = waiting;
      waiting = nothing;
      mark = null;
      if (rest.length > 0) onStep(rest);
    },
  };
}

/** How many bytes at the end could begin the mark or, if none could, a character. */
function heldBackBytes(bytes: Buffer, mark: Buffer): number {
  const from = Math.max(0, bytes.length - mark.length + 1);
  for (let at = bytes.indexOf(mark[0] as number, from); at >= 0; at = bytes.indexOf(mark[0] as number, at + 1)) {
    if (bytes.compare(mark, 0, bytes.length - at, at) === 0) return bytes.length - at;
  }
  return incompleteCharacterBytes(bytes);
}
