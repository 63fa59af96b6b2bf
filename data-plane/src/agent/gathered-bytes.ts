import { AgentError } from './agent-error.ts';

const firstBytes = 4096;
const nothing = Buffer.alloc(0);

/** Gathers a body in one growing piece of memory, so that a body in tiny chunks costs no more than one in large ones. */
export class GatheredBytes {
  private held = nothing;
  private used = 0;
  private readonly bytesMax: number;

  constructor({ bytesMax }: { bytesMax: number }) {
    this.bytesMax = bytesMax;
  }

  /** The memory that it has taken. */
  get heldBytes(): number {
    return this.held.length;
  }

  get bytes(): Buffer {
    return this.held.subarray(0, this.used);
  }

  /** @throws AgentError `invalid` if the body is longer than `bytesMax` */
  add(chunk: Uint8Array): undefined {
    const { held, used, bytesMax } = this;
    if (used + chunk.length > bytesMax) throw new AgentError('invalid', `the answer is longer than ${bytesMax} bytes`);
    if (held.length - used < chunk.length) {
      this.held = Buffer.allocUnsafeSlow(Math.max(firstBytes, held.length * 2, used + chunk.length));
      held.copy(this.held, 0, 0, used);
    }
    this.held.set(chunk, used);
    this.used += chunk.length;
  }
}
