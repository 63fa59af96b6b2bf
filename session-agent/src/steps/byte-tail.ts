/** The last `bytesMax` pushed bytes, copied into a ring buffer, so that no larger buffer stays alive. */
export class ByteTail {
  pushedBytes = 0;
  #bytesMax: number;
  #ring: Buffer | null = null;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  push(bytes: Uint8Array): void {
    const last = bytes.subarray(Math.max(0, bytes.length - this.#bytesMax));
    this.pushedBytes += bytes.length;
    this.#ring ??= Buffer.allocUnsafeSlow(this.#bytesMax);
    const start = (this.pushedBytes - last.length) % this.#bytesMax;
    const untilEdge = Math.min(last.length, this.#bytesMax - start);
    this.#ring.set(last.subarray(0, untilEdge), start);
    this.#ring.set(last.subarray(untilEdge), 0);
  }

  /** A copy of the bytes, oldest first. */
  bytes(): Buffer {
    if (!this.#ring) return Buffer.alloc(0);
    if (this.pushedBytes <= this.#bytesMax) return Buffer.from(this.#ring.subarray(0, this.pushedBytes));
    const edge = this.pushedBytes % this.#bytesMax;
    return Buffer.concat([this.#ring.subarray(edge), this.#ring.subarray(0, edge)]);
  }
}
