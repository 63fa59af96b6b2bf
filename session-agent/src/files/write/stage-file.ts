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
import { openEntryHandle, pathIn, pathOfHandle } from '../paths/entry-handle.ts';
import { fileProblem } from '../paths/file-problem.ts';
import type { ResolvedPath } from '../paths/resolve-path.ts';

const writeFrom = promisify(write);

/** A complete upload under a temporary name. Disposing of it deletes the file, unless it was moved to its place. */
export type StagedFile = {
  size: number;
  sha256: string;
  /** Renames it to its target, atomically, and returns its stats there. */
  moveTo: (target: ResolvedPath) => BigIntStats;
  [Symbol.dispose]: () => void;
};

/** A name that no file of the session has. */
export const stagedName = (): string => `${uploadPrefix}${randomBytes(12).toString('hex')}`;

/**
 * Writes a body to a new file under a temporary name, at the speed of the disk.
 * @throws Problem `body-too-large` beyond `bytesMax`, `workspace-full`, and any error of the body
 */
export async function stageFile(
  directory: number,
  { body, bytesMax, name = stagedName(), mode = 0o666, keepsMode = true, hasExactMode = false }: StageInput,
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
      moveTo(target) {
        const handle = openEntryHandle(directory, name);
        try {
          if (!isOurs(handle.stats))
            throw new Problem('path-conflict', { detail: 'the upload was removed by other code' });
          const kept = target.entry && keepsMode ? Number(target.entry.stats.mode) & 0o777 : null;
          const wanted = hasExactMode ? mode : kept;
          if (wanted !== null) chmodSync(pathOfHandle(handle), wanted);
          renameSync(path, pathIn(target.directory, target.name));
          isPlaced = true;
          return fstatSync(handle.descriptor, { bigint: true });
        } finally {
          closeSync(handle.descriptor);
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

type StageInput = {
  body: AsyncIterable<Uint8Array>;
  bytesMax: number;
  name?: string;
  mode?: number;
  /** Whether a file that is replaced keeps its mode. */
  keepsMode?: boolean;
  /** Whether the file gets exactly this mode, also against the umask. */
  hasExactMode?: boolean;
};

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
