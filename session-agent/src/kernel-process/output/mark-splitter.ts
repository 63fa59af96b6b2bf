import { markPrefix, type StreamMark, streamMarks } from '@holdfast/specs/kernel';
import { incompleteCharacterBytes } from './incomplete-character.ts';

const nothing: Buffer = Buffer.alloc(0);
const markOf = new Map(Object.entries(streamMarks).map(([mark, letter]) => [letter.charCodeAt(0), mark as StreamMark]));
/** A letter and a zero. */
const afterPrefixBytes = 2;

/** Splits one stream of a kernel at the marks of its steps. */
export type MarkSplitter = {
  /** A step begins: bytes belong to it until its end mark comes. */
  begin(nonce: string): void;
  /** The chunk's memory is not needed afterwards. */
  push(chunk: Buffer): void;
  /** Ends the step without its end mark, and passes on the bytes that were held back. */
  end(): void;
};

type Receiver = {
  onStep: (bytes: Buffer) => void;
  onMark: (mark: StreamMark) => void;
  onBackground: (bytes: Buffer) => void;
};

/**
 * Gives `onStep` the bytes before a step's end mark, without any marks, and half a character only at the step's end. `onBackground` gets
 * the bytes between steps. Bytes at the end of a chunk that may begin a mark or a character are held back until the next chunk.
 */
export function createMarkSplitter({ onStep, onMark, onBackground }: Receiver): MarkSplitter {
  /** Null between steps. */
  let nonce: string | null = null;
  /** Made when the step's first bytes come, as most steps write nothing. */
  let prefix: Buffer | null = null;
  let waiting: Buffer = nothing;

  const giveUpTo = (bytes: Buffer, end: number) => {
    if (end > 0) onStep(bytes.subarray(0, end));
  };

  return {
    begin(ofStep) {
      nonce = ofStep;
      prefix = null;
    },
    push(chunk) {
      let bytes = waiting.length > 0 ? Buffer.concat([waiting, chunk]) : chunk;
      waiting = nothing;
      while (nonce !== null) {
        prefix ??= Buffer.from(markPrefix(nonce));
        const at = bytes.indexOf(prefix);
        const after = at + prefix.length + afterPrefixBytes;
        if (at < 0 || after > bytes.length) {
          const cut = at < 0 ? bytes.length - heldBackBytes(bytes, prefix) : at;
          waiting = Buffer.from(bytes.subarray(cut));
          return giveUpTo(bytes, cut);
        }
        const mark = markOf.get(bytes[after - afterPrefixBytes] as number) ?? 'turn';
        const half = mark === 'end' ? 0 : incompleteCharacterBytes(bytes.subarray(0, at));
        giveUpTo(bytes, at - half);
        const rest = bytes.subarray(after);
        // The other half of a character comes after the mark.
        bytes = half > 0 ? Buffer.concat([bytes.subarray(at - half, at), rest]) : rest;
        if (mark === 'end') nonce = null;
        onMark(mark);
      }
      if (bytes.length > 0) onBackground(bytes);
    },
    end() {
      const rest = waiting;
      waiting = nothing;
      nonce = null;
      if (rest.length > 0) onStep(rest);
    },
  };
}

/** How many bytes at the end could begin a mark or, if none could, a character. */
function heldBackBytes(bytes: Buffer, prefix: Buffer): number {
  const from = Math.max(0, bytes.length - prefix.length + 1);
  for (let at = bytes.indexOf(prefix[0] as number, from); at >= 0; at = bytes.indexOf(prefix[0] as number, at + 1)) {
    if (bytes.compare(prefix, 0, bytes.length - at, at) === 0) return bytes.length - at;
  }
  return incompleteCharacterBytes(bytes);
}
