import { incompleteCharacterBytes } from './incomplete-character.ts';

const nothing: Buffer = Buffer.alloc(0);

/** One of a kernel's streams, cut into steps by their end marks. */
export type StepStream = {
  /** From now on bytes belong to the step whose end mark this is. */
  begin(mark: Buffer): void;
  /** Bytes as they come. Returns true where the step's mark was among them. */
  push(chunk: Buffer): boolean;
  /** Ends the step without its mark: gives out what was held back. */
  end(): void;
};

/**
 * `onStep` gets the bytes of steps, never with a mark, and without half a character before the step's end;
 * `onBackground` gets what comes between steps.
 */
export function stepStream(onStep: (bytes: Buffer) => void, onBackground: (bytes: Buffer) => void): StepStream {
  let mark: Buffer | null = null;
  let held: Buffer = nothing;

  return {
    begin(next) {
      mark = next;
    },
    push(chunk) {
      if (!mark) {
        onBackground(chunk);
        return false;
      }
      const bytes = held.length > 0 ? Buffer.concat([held, chunk]) : chunk;
      const at = bytes.indexOf(mark);
      if (at < 0) {
        const cut = bytes.length - heldBackBytes(bytes, mark);
        held = bytes.subarray(cut);
        if (cut > 0) onStep(bytes.subarray(0, cut));
        return false;
      }
      const after = bytes.subarray(at + mark.length);
      held = nothing;
      mark = null;
      if (at > 0) onStep(bytes.subarray(0, at));
      if (after.length > 0) onBackground(after);
      return true;
    },
    end() {
      const rest = held;
      held = nothing;
      mark = null;
      if (rest.length > 0) onStep(rest);
    },
  };
}

/** How many of the last bytes could be the beginning of the mark, or else of a character. */
function heldBackBytes(bytes: Buffer, mark: Buffer): number {
  const from = Math.max(0, bytes.length - mark.length + 1);
  for (let at = bytes.indexOf(mark[0] as number, from); at >= 0; at = bytes.indexOf(mark[0] as number, at + 1)) {
    if (bytes.compare(mark, 0, bytes.length - at, at) === 0) return bytes.length - at;
  }
  return incompleteCharacterBytes(bytes);
}
