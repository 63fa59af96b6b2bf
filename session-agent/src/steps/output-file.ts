import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { collectCopies } from '../collect-garbage.ts';

/** If this much waits for a slow disk, the rest of the stream is not stored. */
const queuedBytesMax = 16 * 1024 * 1024;
/** The memory of a queued piece besides its bytes. */
const pieceBytes = 128;
const batchPiecesMax = 256;
const readBytesMax = 64 * 1024;

type Options = {
  tmp: string;
  bytesMax: number;
  /** The beginning of the stream, which is already in memory. It is written first. */
  head: Iterable<Uint8Array>;
  /** Reserves space; false if none is left. */
  reserve: (bytes: number) => boolean;
};

/** The bytes that can be read, and whether they are the whole stream. */
export type Extent = { bytes: number; isWhole: boolean };

/**
 * One stream of a step in a file without a name, so that the file ends with the agent. Accepts bytes without making the step wait. If the
 * disk is too slow or full, or the limit is reached, only the beginning of the stream is stored.
 */
export class OutputFile {
  /** Whether the stream has ended and all of it was accepted. */
  #isWhole = false;
  #isCut = false;
  #options: Options;
  #handle: Promise<FileHandle>;
  #queue: Uint8Array[] = [];
  #queuedBytes = 0;
  #acceptedBytes = 0;
  #writtenBytes = 0;
  #writing: Promise<void>;
  #isWriting = true;
  #readers = 0;
  #isDropped = false;

  constructor(options: Options) {
    this.#options = options;
    this.#handle = openNameless(options.tmp);
    this.#writing = this.#write(options.head);
  }

  /** Copies the bytes. */
  push(bytes: Uint8Array): void {
    if (this.#isCut) return;
    const accepted = this.#acceptedBytes + bytes.length;
    const queued = this.#queuedBytes + bytes.length + pieceBytes;
    if (accepted > this.#options.bytesMax || queued > queuedBytesMax || !this.#options.reserve(bytes.length)) {
      this.#isCut = true;
      return;
    }
    this.#acceptedBytes = accepted;
    this.#queuedBytes = queued;
    collectCopies(bytes.length);
    this.#queue.push(Buffer.from(bytes));
    if (!this.#isWriting) this.#writing = this.#write([]);
  }

  /** The stream has ended. */
  end(): void {
    this.#isWhole = !this.#isCut;
  }

  /** Waits until all accepted bytes are on the disk, and returns the extent. */
  async extent(): Promise<Extent> {
    await this.#writing;
    return { bytes: this.#writtenBytes, isWhole: this.#isWhole && !this.#isCut };
  }

  /** Reads the first `bytes` of it, in pieces. */
  async *read(bytes: number): AsyncGenerator<Uint8Array> {
    this.#readers += 1;
    try {
      const handle = await this.#handle;
      const piece = Buffer.allocUnsafe(readBytesMax);
      for (let at = 0; at < bytes; ) {
        const { bytesRead } = await handle.read(piece, 0, Math.min(piece.length, bytes - at), at);
        if (bytesRead === 0) throw new Error('the file of a step has lost its end');
        yield Buffer.from(piece.subarray(0, bytesRead));
        at += bytesRead;
      }
    } finally {
      this.#readers -= 1;
      this.#closeIfDone();
    }
  }

  /** Deletes the file once its readers are done. */
  drop(): void {
    this.#isDropped = true;
    this.#isCut = true;
    this.#queue = [];
    void this.#writing.then(() => this.#closeIfDone());
  }

  /** Never rejects. */
  async #write(first: Iterable<Uint8Array>): Promise<void> {
    this.#isWriting = true;
    try {
      const handle = await this.#handle;
      for (const batch of batches(first)) await this.#append(handle, batch);
      while (this.#queue.length > 0) {
        const batch = this.#queue.splice(0, batchPiecesMax);
        await this.#append(handle, batch);
        for (const { length } of batch) this.#queuedBytes -= length + pieceBytes;
      }
    } catch {
      this.#isCut = true;
      this.#queue = [];
    } finally {
      this.#isWriting = false;
    }
  }

  async #append(handle: FileHandle, batch: Uint8Array[]): Promise<void> {
    const wanted = batch.reduce((sum, { length }) => sum + length, 0);
    const { bytesWritten } = await handle.writev(batch, this.#writtenBytes);
    this.#writtenBytes += bytesWritten;
    if (bytesWritten < wanted) throw new Error('the disk is full');
  }

  #closeIfDone(): void {
    if (!this.#isDropped || this.#readers > 0) return;
    void this.#handle.then((handle) => handle.close()).catch(() => {});
  }
}

async function openNameless(tmp: string): Promise<FileHandle> {
  const path = join(tmp, `holdfast-output-${randomBytes(8).toString('hex')}`);
  const handle = await open(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, 0o600);
  await unlink(path);
  return handle;
}

function* batches(pieces: Iterable<Uint8Array>): Generator<Uint8Array[]> {
  let batch: Uint8Array[] = [];
  for (const piece of pieces) {
    if (batch.push(piece) < batchPiecesMax) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
