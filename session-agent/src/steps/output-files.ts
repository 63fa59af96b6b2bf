import { statfsSync } from 'node:fs';
import type { Stream } from '../kernel-process/kernel.ts';
import { OutputFile } from './output-file.ts';

/** One stream may use a quarter of the total, and the total is at most a quarter of the file system, which the session's code needs too. */
const share = 4;
const filesMax = 128;

type StoredStream = { file: OutputFile; bytes: number; hasEnded: boolean };

/** The writing side of an output file. */
export type OutputWriter = Pick<OutputFile, 'push' | 'end'>;

/** Stores streams that are too long for their step's frames as a whole, within `bytesMax` for all. Drops the oldest first. */
export class OutputFiles {
  #tmp: string;
  #bytesMax: number;
  #storedBytes = 0;
  #streams = new Map<string, StoredStream>();

  constructor({ tmp, outputFilesBytesMax }: { tmp: string; outputFilesBytesMax: number }) {
    this.#tmp = tmp;
    this.#bytesMax = Math.min(outputFilesBytesMax, Math.floor(sizeOf(tmp) / share));
  }

  /** Opens a file for a stream that begins with `head`, `headBytes` long. Null if there is not enough space. */
  begin(
    { stepId, stream }: { stepId: string; stream: Stream },
    { head, headBytes }: { head: Iterable<Uint8Array>; headBytes: number },
  ): OutputWriter | null {
    const bytesMax = Math.floor(this.#bytesMax / share) - headBytes;
    if (bytesMax <= 0 || !this.#makeRoom(headBytes, null)) return null;
    const reserve = (bytes: number) => {
      if (!this.#makeRoom(bytes, stored)) return false;
      stored.bytes += bytes;
      this.#storedBytes += bytes;
      return true;
    };
    const file = new OutputFile({ tmp: this.#tmp, bytesMax, head, reserve });
    const stored: StoredStream = { file, bytes: headBytes, hasEnded: false };
    this.#storedBytes += headBytes;
    this.#streams.set(key(stepId, stream), stored);
    return {
      push: (bytes) => file.push(bytes),
      end() {
        stored.hasEnded = true;
        file.end();
      },
    };
  }

  find(stepId: string, stream: Stream): OutputFile | null {
    return this.#streams.get(key(stepId, stream))?.file ?? null;
  }

  #makeRoom(bytes: number, growing: StoredStream | null): boolean {
    for (const [name, stored] of this.#streams) {
      if (this.#storedBytes + bytes <= this.#bytesMax && (growing || this.#streams.size < filesMax)) break;
      if (!stored.hasEnded) continue;
      this.#streams.delete(name);
      this.#storedBytes -= stored.bytes;
      stored.file.drop();
    }
    return this.#storedBytes + bytes <= this.#bytesMax && (growing !== null || this.#streams.size < filesMax);
  }
}

function sizeOf(folder: string): number {
  try {
    const { blocks, bsize } = statfsSync(folder);
    return blocks * bsize;
  } catch {
    return 0;
  }
}

const key = (stepId: string, stream: Stream) => `${stepId} ${stream}`;
