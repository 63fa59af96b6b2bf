import { FrameError, type FrameType, frameAt, frameHeaderBytes, frameTypeNames } from '@holdfast/specs/agent';

/** A frame, or a part of the payload of one that is read in parts. */
export type FramePart = {
  type: FrameType;
  seq: number;
  timeMs: number;
  /** The place of the whole frame in the log, in bytes; `end` is exclusive. */
  from: number;
  end: number;
  payload: Buffer;
  isFirst: boolean;
  isLast: boolean;
};

/** The first part of a result has at least so many bytes, or all of it: its display id is shorter. */
const headBytesMax = 2048;

/** The frames that are passed on in parts. Any other is short, or must be read as a whole. */
const inParts: ReadonlySet<FrameType | undefined> = new Set(['stdout', 'stderr', 'result', 'comm'] as const);

type OpenFrame = Omit<FramePart, 'payload' | 'isFirst' | 'isLast'> & { left: number; isFirst: boolean };

/**
 * Splits a log of frames, which is read in pieces, without waiting for the rest of a frame of output.
 * @param from the place of the first piece in the log
 * @throws FrameError if the last frame is incomplete
 */
export async function* framePartsOf(
  pieces: AsyncIterable<Buffer>,
  { from = 0 }: { from?: number } = {},
): AsyncGenerator<FramePart[]> {
  let rest: Buffer = Buffer.alloc(0);
  let open: OpenFrame | null = null;
  let place = from;
  for await (const piece of pieces) {
    const bytes = rest.length > 0 ? Buffer.concat([rest, piece]) : piece;
    const parts: FramePart[] = [];
    let offset = 0;
    for (;;) {
      const current: OpenFrame | null = open ?? headAt(bytes, offset, place + offset);
      if (!current) break;
      if (current.isFirst) offset += frameHeaderBytes;
      const { left, ...frame }: OpenFrame = current;
      const payload = bytes.subarray(offset, offset + left);
      offset += payload.length;
      const isLast: boolean = payload.length === left;
      parts.push({ ...frame, payload, isLast });
      open = isLast ? null : { ...frame, left: left - payload.length, isFirst: false };
      if (open) break;
    }
    place += offset;
    rest = bytes.subarray(offset);
    yield parts;
  }
  if (open || rest.length > 0) throw new FrameError('the last frame is incomplete');
}

/** The head of the frame at `offset`; null if more of it must be read first. */
function headAt(bytes: Buffer, offset: number, from: number): OpenFrame | null {
  if (bytes.length - offset < frameHeaderBytes) return null;
  const type = frameTypeNames[bytes.readUInt8(offset)];
  if (!inParts.has(type) && !frameAt(bytes, offset)) return null;
  const left = bytes.readUInt32BE(offset + 12);
  if (type === 'result' && bytes.length - offset < frameHeaderBytes + Math.min(left, headBytesMax)) return null;
  return {
    type: type as FrameType,
    seq: bytes.readUInt32BE(offset + 4),
    timeMs: bytes.readUInt32BE(offset + 8),
    from,
    end: from + frameHeaderBytes + left,
    left,
    isFirst: true,
  };
}
