import { createHash, randomBytes } from 'node:crypto';
import {
  type BigIntStats,
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  renameSync,
  unlinkSync,
  write,
} from 'node:fs';
import { promisify } from 'node:util';
import { Problem, uploadPrefix } from '@holdfast/specs/public';
import { holdEntry, pathIn, pathOf } from '../paths/entry-handle.ts';
import { fileProblem } from '../paths/file-problem.ts';
import type { ResolvedPath } from '../paths/resolve-path.ts';

const writeFrom = promisify(write);

/** A file that is on its way in, under a name of its own in a directory that its owner holds. Disposed of, it is gone unless it was placed. */
export type StagedFile = {
  size: number;
  sha256: string;
  /** Gives it the place's name, in one step, and says what it is there. */
  moveTo: (place: ResolvedPath) => BigIntStats;
  [Symbol.dispose]: () => void;
};

/** A name that nothing of the session has. */
export const stagedName = (): string => `${uploadPrefix}${randomBytes(12).toString('hex')}`;

/**
 * Writes a body to a new file, as fast as the disk takes it.
 * @throws Problem `body-too-large` beyond `bytesMax`, `workspace-full`, and what the body throws
 */
export async function stageFile(
  directory: number,
  { body, bytesMax, name = stagedName(), mode = 0o666 }: StageInput,
): Promise<StagedFile> {
  const path = pathIn(directory, name);
  const descriptor = create(path, mode);
  const { dev, ino } = fstatSync(descriptor, { bigint: true });
  let isPlaced = false;
  const isOurs = (stats: BigIntStats | undefined) => stats?.dev === dev && stats.ino === ino;
  const release = () => {
    if (isPlaced || !isOurs(lstatSync(path, { bigint: true, throwIfNoEntry: false }))) return;
    unlinkSync(path);
    isPlaced = true;
  };
  try {
    const { size, sha256 } = await receive(descriptor, { body, bytesMax });
    return {
      size,
      sha256,
      moveTo(place) {
        const held = holdEntry(directory, name);
        try {
          if (!isOurs(held.stats))
            throw new Problem('path-conflict', { detail: 'the upload was taken away meanwhile' });
          if (place.entry) chmodSync(pathOf(held), Number(place.entry.stats.mode) & 0o777);
          renameSync(path, pathIn(place.directory, place.name));
          isPlaced = true;
          return fstatSync(held.descriptor, { bigint: true });
        } finally {
          closeSync(held.descriptor);
        }
      },
      [Symbol.dispose]: release,
    };
  } catch (error) {
    release();
    throw fileProblem(error);
  } finally {
    closeSync(descriptor);
  }
}

type StageInput = { body: AsyncIterable<Uint8Array>; bytesMax: number; name?: string; mode?: number };

function create(path: string, mode: number): number {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  try {
    return openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
  } catch (error) {
    throw fileProblem(error);
  }
}

async function receive(
  descriptor: number,
  { body, bytesMax }: { body: AsyncIterable<Uint8Array>; bytesMax: number },
): Promise<{ size: number; sha256: string }> {
  const hash = createHash('sha256');
  let size = 0;
  for await (const piece of body) {
    size += piece.length;
    if (size > bytesMax) throw new Problem('body-too-large', { detail: `a file has at most ${bytesMax} bytes` });
    hash.update(piece);
    for (let written = 0; written < piece.length; ) {
      const { bytesWritten } = await writeFrom(descriptor, piece, written, piece.length - written);
      written += bytesWritten;
    }
  }
  return { size, sha256: hash.digest('hex') };
}
