import { promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';
import { createZstdLanes } from './zstd-lanes.ts';

/**
 * The events of a large step in the form in which they take less room:
 *
 *   bytes 0-3     zero and `zst`; no frame has the type 0, so events that are stored as they are begin in another way
 *   bytes 4-7     the length of the events in bytes, big-endian
 *   then          the stored length of each piece, in four bytes
 *   then          the pieces: each holds `pieceBytes` of the events, the last one the rest, compressed by itself (zstd, RFC 8878)
 *
 * Null if they take no less room, so that bytes which cannot be compressed cost nothing when they are read, or if they would need too much
 * memory beside the frames.
 */
export async function packEvents(frames: readonly Buffer[]): Promise<Buffer[] | null> {
  const bytes = frames.reduce((sum, { length }) => sum + length, 0);
  const count = Math.ceil(bytes / pieceBytes);
  if (count > piecesMax) return null;
  const packed: Buffer[] = [];
  let packedFrom = 0;
  const raw = partsOfPieces(frames, pieceBytes);
  for (let batch = take(raw, atOnce); batch.length > 0; batch = take(raw, atOnce)) {
    packed.push(...(await Promise.all(batch.map(lanes.compress))));
    packedFrom += sum(batch.flat());
    if (sum(packed) > Math.min(worthwhile * packedFrom, packedBytesMax)) return null;
  }
  const head = Buffer.alloc(headBytes + 4 * count);
  head.write(mark, 'latin1');
  head.writeUInt32BE(bytes, 4);
  for (const [index, { length }] of packed.entries()) head.writeUInt32BE(length, headBytes + 4 * index);
  return [head, ...packed];
}

/** A part of events, and the place of the pieces that hold it in what is stored. */
export type PackedPart = { from: number; end: number; skippedBytes: number; sizes: number[] };

/** Finds a part of packed events by their first `packedHeadBytesMax` bytes. Pure. */
export function findPackedPart(head: Buffer, { from, length }: { from: number; length: number }): PackedPart {
  const bytes = head.readUInt32BE(4);
  const size = (index: number) => head.readUInt32BE(headBytes + 4 * index);
  const end = Math.min(from + length, bytes);
  const first = Math.floor(from / pieceBytes);
  const sizes: number[] = [];
  for (let index = first; index * pieceBytes < end; index++) sizes.push(size(index));
  let place = headBytes + 4 * Math.ceil(bytes / pieceBytes);
  for (let index = 0; index < first; index++) place += size(index);
  const storedBytes = sizes.reduce((total, one) => total + one, 0);
  return { from: place, end: place + storedBytes, skippedBytes: from - first * pieceBytes, sizes };
}

/** The part, from the pieces that hold it. Never makes more of a piece than was put into it. */
export async function unpackPart(stored: Buffer, { sizes, skippedBytes }: PackedPart, length: number): Promise<Buffer> {
  let place = 0;
  const pieces = sizes.map((size) => {
    place += size;
    return decompress(stored.subarray(place - size, place), { maxOutputLength: pieceBytes });
  });
  return Buffer.concat(await Promise.all(pieces)).subarray(skippedBytes, skippedBytes + length);
}

const decompress = promisify(zstdDecompress);

/** Stored steps depend on it. */
const pieceBytes = 256 * 1024;
const piecesMax = 1024;
const headBytes = 8;
const mark = '\0zst';

/** A condition in SQL: whether the events of a step are packed. */
export const isPacked = `substring(events for ${mark.length}) = '\\x${Buffer.from(mark).toString('hex')}'::bytea`;

/** So many bytes hold the head and all lengths. */
export const packedHeadBytesMax = headBytes + 4 * piecesMax;
/** So many pieces are in memory twice, and in the threads that compress. */
const atOnce = 4;
const lanes = createZstdLanes({ lanes: atOnce, pieceBytes });
/** Pieces that stay longer than this part of what they hold are stored as they are. */
const worthwhile = 0.9;
const packedBytesMax = 16 * 1024 * 1024;

const sum = (pieces: readonly Buffer[]): number => pieces.reduce((total, { length }) => total + length, 0);

function take<Piece>(pieces: Iterator<Piece>, count: number): Piece[] {
  const taken: Piece[] = [];
  while (taken.length < count) {
    const next = pieces.next();
    if (next.done) break;
    taken.push(next.value);
  }
  return taken;
}

/** The same bytes in pieces of one length, each made when it is needed. */
export function* piecesOf(frames: readonly Buffer[], length: number): Generator<Buffer> {
  for (const parts of partsOfPieces(frames, length)) yield Buffer.concat(parts);
}

function* partsOfPieces(frames: readonly Buffer[], length: number): Generator<Buffer[]> {
  let parts: Buffer[] = [];
  let bytes = 0;
  for (const frame of frames) {
    for (let at = 0; at < frame.length; ) {
      const part = frame.subarray(at, at + length - bytes);
      parts.push(part);
      bytes += part.length;
      at += part.length;
      if (bytes < length) continue;
      yield parts;
      parts = [];
      bytes = 0;
    }
  }
  if (bytes > 0) yield parts;
}
