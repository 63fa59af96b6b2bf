import { AgentError } from './agent-error.ts';

const firstBytes = 4096;

/** Gathers a body in one growing piece of memory, so that a body in tiny chunks costs no more than one in large ones. */
export function createGatheredBytes({ bytesMax }: { bytesMax: number }) {
  let held = Buffer.alloc(0);
  let used = 0;
  return {
    /** The memory that it has taken. */
    get heldBytes() {
      return held.length;
    },
    get bytes() {
      return held.subarray(0, used);
    },
    /** @throws AgentError `invalid` if the body is longer than `bytesMax` */
    add(chunk: Uint8Array): void {
      if (used + chunk.length > bytesMax)
        throw new AgentError('invalid', `the answer is longer than ${bytesMax} bytes`);
      if (held.length - used < chunk.length) {
        const grown = Buffer.allocUnsafeSlow(Math.max(firstBytes, held.length * 2, used + chunk.length));
        held.copy(grown, 0, 0, used);
        held = grown;
      }
      held.set(chunk, used);
      used += chunk.length;
    },
  };
}
