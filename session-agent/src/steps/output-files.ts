import { statfsSync } from 'node:fs';
import type { Stream } from '../kernel-process/kernel.ts';
import { OutputFile } from './output-file.ts';

/** One stream takes at most a quarter of what all together may, and they a quarter of the folder's file system, which is the code's. */
const share = 4;
const filesMax = 128;

type Kept = { file: OutputFile; bytes: number; hasEnded: boolean };

/** What `begin` gives to the one who writes. */
export type OutputWriter = Pick<OutputFile, 'push' | 'end'>;

/** The whole of streams that are too long for their step's frames, within `bytesMax` for all: the oldest go first. */
export class OutputFiles {
  #tmp: string;
  #bytesMax: number;
  #keptBytes = 0;
  #kept = new Map<string, Kept>();

  constructor({ tmp, outputFilesBytesMax }: { tmp: string; outputFilesBytesMax: number }) {
    this.#tmp = tmp;
    this.#bytesMax = Math.min(outputFilesBytesMax, Math.floor(sizeOf(tmp) / share));
  }

  /** Keeps a stream from now on; `head` of `headBytes` is what came of it before. Null where there is no room for that. */
  begin(
    { stepId, stream }: { stepId: string; stream: Stream },
    { head, headBytes }: { head: Iterable<Uint8Array>; headBytes: number },
  ): OutputWriter | null {
    const bytesMax = Math.floor(this.#bytesMax / share) - headBytes;
    if (bytesMax <= 0 || !this.#makeRoom(headBytes, null)) return null;
    const reserve = (bytes: number) => {
      if (!this.#makeRoom(bytes, kept)) return false;
      kept.bytes += bytes;
      this.#keptBytes += bytes;
      return true;
    };
    const file = new OutputFile({ tmp: this.#tmp, bytesMax, head, reserve });
    const kept: Kept = { file, bytes: headBytes, hasEnded: false };
    this.#keptBytes += headBytes;
    this.#kept.set(key(stepId, stream), kept);
    return {
      push: (bytes) => file.push(bytes),
      end() {
        kept.hasEnded = true;
        file.end();
      },
    };
  }

  find(stepId: string, stream: Stream): OutputFile | null {
    return this.#kept.get(key(stepId, stream))?.file ?? null;
  }

  #makeRoom(bytes: number, wanted: Kept | null): boolean {
    for (const [name, kept] of this.#kept) {
      if (this.#keptBytes + bytes <= this.#bytesMax && (wanted || this.#kept.size < filesMax)) break;
      if (!kept.hasEnded) continue;
      this.#kept.delete(name);
      this.#keptBytes -= kept.bytes;
      kept.file.drop();
    }
    return this.#keptBytes + bytes <= this.#bytesMax && (wanted !== null || this.#kept.size < filesMax);
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
