import { type Frame, frameAt, frameHeaderBytes } from './frames.ts';

/** Splits a byte stream into frames: each call takes a chunk and returns the frames that are complete so far. */
export function createFrameSplitter(): (chunk: Buffer) => Frame[] {
  let rest: Buffer[] = [];
  let restBytes = 0;
  let wanted = frameHeaderBytes;
  return (chunk) => {
    rest.push(chunk);
    restBytes += chunk.length;
    if (restBytes < wanted) return [];
    const buffer = rest.length === 1 ? chunk : Buffer.concat(rest, restBytes);
    const frames: Frame[] = [];
    let offset = 0;
    for (let frame = frameAt(buffer, 0); frame; frame = frameAt(buffer, offset)) {
      frames.push(frame);
      offset += frame.bytes.length;
    }
    const left = buffer.subarray(offset);
    rest = left.length > 0 ? [left] : [];
    restBytes = left.length;
    wanted = restBytes < frameHeaderBytes ? frameHeaderBytes : frameHeaderBytes + left.readUInt32BE(12);
    return frames;
  };
}
