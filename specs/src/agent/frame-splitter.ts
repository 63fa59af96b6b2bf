import { type Frame, FrameError, frameAt, frameHeaderBytes, framePayloadBytesMax, frameTypeAt } from './frames.ts';
import { readUint32 } from './uint32.ts';

const nothing = Buffer.alloc(0);

/** Splits a byte stream into frames. Its memory and its time are in proportion to the bytes, in whatever pieces they come. */
export class FrameSplitter {
  private held = nothing;
  private used = 0;

  /** The memory of the frame that is not yet complete, in bytes. */
  get heldBytes(): number {
    return this.held.length;
  }

  /**
   * Takes a chunk and returns the frames that are complete so far.
   * @throws FrameError if a type is unknown or its payload is longer than `framePayloadBytesMax` allows, as soon as the header is there
   */
  split(chunk: Buffer): Frame[] {
    const frames: Frame[] = [];
    let offset = this.used > 0 ? this.complete(chunk, frames) : 0;
    while (offset < chunk.length) {
      const wanted = bytesWanted(chunk, offset, chunk.length - offset);
      if (chunk.length - offset < wanted) {
        this.hold(chunk.subarray(offset), wanted);
        break;
      }
      frames.push(frameAt(chunk, offset) as Frame);
      offset += wanted;
    }
    return frames;
  }

  /**
   * Copies the bytes, so that a few of them do not keep a whole chunk in memory. The memory is at most eight times the bytes that came,
   * since an announced length costs its sender nothing.
   */
  private hold(bytes: Buffer, wanted: number): void {
    if (this.held.length - this.used < bytes.length) {
      const length = Math.min(wanted, 8 * (this.used + bytes.length));
      const grown = Buffer.allocUnsafeSlow(length);
      this.held.copy(grown, 0, 0, this.used);
      this.held = grown;
    }
    this.held.set(bytes, this.used);
    this.used += bytes.length;
  }

  /** Adds to the incomplete frame what it still lacks; returns the number of bytes that it took. */
  private complete(chunk: Buffer, frames: Frame[]): number {
    let taken = 0;
    while (this.used > 0 && taken < chunk.length) {
      const wanted = bytesWanted(this.held, 0, this.used);
      const piece = chunk.subarray(taken, taken + wanted - this.used);
      this.hold(piece, wanted);
      taken += piece.length;
      if (this.used < frameHeaderBytes || this.used < bytesWanted(this.held, 0, this.used)) continue;
      frames.push(frameAt(this.held.subarray(0, this.used), 0) as Frame);
      this.held = nothing;
      this.used = 0;
    }
    return taken;
  }
}

/** The bytes of the frame at `offset`, or of its header as long as that is not whole. */
function bytesWanted(buffer: Buffer, offset: number, available: number): number {
  if (available < frameHeaderBytes) return frameHeaderBytes;
  const type = frameTypeAt(buffer, offset);
  const length = readUint32(buffer, offset + 12);
  if (length > framePayloadBytesMax[type]) throw new FrameError(`a ${type} frame of ${length} bytes is over the limit`);
  return frameHeaderBytes + length;
}
