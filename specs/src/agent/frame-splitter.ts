import { type Frame, FrameError, frameAt, frameHeaderBytes, framePayloadBytesMax, frameTypeAt } from './frames.ts';

export type FrameSplitter = {
  /**
   * Takes a chunk and returns the frames that are complete so far.
   * @throws FrameError if a type is unknown or its payload is longer than `framePayloadBytesMax` allows, as soon as the header is there
   */
  split(chunk: Buffer): Frame[];
  /** The memory of the frame that is not yet complete, in bytes. */
  readonly heldBytes: number;
};

/** Splits a byte stream into frames. Its memory and its time are in proportion to the bytes, in whatever pieces they come. */
export function createFrameSplitter(): FrameSplitter {
  let held = Buffer.alloc(0);
  let used = 0;

  /**
   * Copies the bytes, so that a few of them do not keep a whole chunk in memory. The memory grows with the bytes that come, since an
   * announced length costs its sender nothing.
   */
  function hold(bytes: Buffer, wanted: number): void {
    if (held.length - used < bytes.length) {
      const grown = Buffer.allocUnsafeSlow(Math.min(wanted, Math.max(held.length * 2, used + bytes.length)));
      held.copy(grown, 0, 0, used);
      held = grown;
    }
    held.set(bytes, used);
    used += bytes.length;
  }

  /** Adds to the incomplete frame what it still lacks; returns the number of bytes that it took. */
  function complete(chunk: Buffer, frames: Frame[]): number {
    let taken = 0;
    while (used > 0 && taken < chunk.length) {
      const wanted = bytesWanted(held, 0, used);
      const piece = chunk.subarray(taken, taken + wanted - used);
      hold(piece, wanted);
      taken += piece.length;
      if (used < frameHeaderBytes || used < bytesWanted(held, 0, used)) continue;
      frames.push(frameAt(held.subarray(0, used), 0) as Frame);
      held = Buffer.alloc(0);
      used = 0;
    }
    return taken;
  }

  return {
    get heldBytes() {
      return held.length;
    },
    split(chunk) {
      const frames: Frame[] = [];
      let offset = used > 0 ? complete(chunk, frames) : 0;
      while (offset < chunk.length) {
        const wanted = bytesWanted(chunk, offset, chunk.length - offset);
        if (chunk.length - offset < wanted) {
          hold(chunk.subarray(offset), wanted);
          break;
        }
        frames.push(frameAt(chunk, offset) as Frame);
        offset += wanted;
      }
      return frames;
    },
  };
}

/** The bytes of the frame at `offset`, or of its header as long as that is not whole. */
function bytesWanted(buffer: Buffer, offset: number, available: number): number {
  if (available < frameHeaderBytes) return frameHeaderBytes;
  const type = frameTypeAt(buffer, offset);
  const length = buffer.readUInt32BE(offset + 12);
  if (length > framePayloadBytesMax[type]) throw new FrameError(`a ${type} frame of ${length} bytes is over the limit`);
  return frameHeaderBytes + length;
}
