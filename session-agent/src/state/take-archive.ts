import { execFile } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { constants, mkdtemp, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { manifestBytesMax, Problem } from '@holdfast/specs/public';
import type { Kernel } from '../kernel-process/kernel.ts';
import { readManifest } from './read-manifest.ts';

const run = promisify(execFile);

/** For what a kernel does after its own time is over, such as writing the manifest. */
const graceMs = 5000;

type Taking = {
  kernel: Pick<Kernel, 'snapshot' | 'exited'>;
  tmp: string;
  bytesMax: number;
  timeoutMs: number;
  isFork: boolean;
  /** Called when the kernel can take the next request. */
  onAnswered: () => void;
};

/** The file of a complete archive, in a folder of its own. */
export type ArchiveFile = { path: string; size: number; language: string; remove(): Promise<void> };

/**
 * Takes a snapshot into a file.
 * @throws Problem `sandbox-failed` if the kernel dies, takes too long, or writes no complete archive
 */
export async function takeArchive({ kernel, tmp, onAnswered, ...wanted }: Taking): Promise<ArchiveFile> {
  const { bytesMax, timeoutMs, isFork } = wanted;
  const folder = await mkdtemp(join(tmp, 'holdfast-state-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const fifo = join(folder, 'fifo');
    await run('mkfifo', ['-m', '600', fifo]);
    const path = join(folder, 'archive');
    const deadline = AbortSignal.timeout(timeoutMs + graceMs);
    const answered = kernel.snapshot({ path: fifo, bytesMax, timeoutMs, isFork }).finally(onAnswered);
    // If it fails before anybody reads, the copy or the death below says so.
    answered.catch(() => {});
    const died = kernel.exited.then(() => {
      throw failed('the kernel ended during the snapshot');
    });
    const size = await Promise.race([copyFifo({ fifo, path, bytesMax, answered, signal: deadline }), died]);
    const manifest = await readManifest(path);
    if (!manifest) throw failed('the kernel wrote no complete archive');
    await rm(fifo);
    return { path, size, language: manifest.language, remove };
  } catch (error) {
    onAnswered();
    await remove();
    throw error instanceof Problem ? error : failed('the kernel did not write the archive in time', error);
  }
}

type Copying = { fifo: string; path: string; bytesMax: number; answered: Promise<void>; signal: AbortSignal };

/** Copies what comes through the FIFO, up to the end of its last writer. Returns the number of bytes. */
async function copyFifo({ fifo, path, bytesMax, answered, signal }: Copying): Promise<number> {
  // Opened without waiting for a writer. Before there is one, reading says that there is nothing more, which does not count.
  const reader = await open(fifo, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    let bytes = 0;
    const onBytes = (count: number) => {
      bytes += count;
      if (bytes > bytesMax + manifestBytesMax + 65_536) throw failed('the archive is larger than allowed');
    };
    await pipeline(chunksOf(reader, { answered, signal, onBytes }), createWriteStream(path, { mode: 0o600 }), {
      signal,
    });
    return bytes;
  } finally {
    await reader.close();
  }
}

const chunkBytes = 1 << 20;
const pollMs = 2;
/** A child of the kernel opens the FIFO soon after the kernel has answered. */
const openedWithinMs = 5000;

type Reading = { answered: Promise<void>; signal: AbortSignal; onBytes(count: number): void };

/** libuv cannot wait for a FIFO that is read as a file, so an empty one is tried again soon. */
async function* chunksOf(
  reader: Awaited<ReturnType<typeof open>>,
  { answered, signal, onBytes }: Reading,
): AsyncGenerator<Buffer, void, undefined> {
  const buffer = Buffer.allocUnsafe(chunkBytes);
  let hasBegun = false;
  let sinceMs: number | null = null;
  let fault: unknown;
  answered.then(
    () => {
      sinceMs = performance.now();
    },
    (error) => {
      fault = error;
    },
  );
  for (;;) {
    signal.throwIfAborted();
    if (fault) throw fault;
    const read = await reader.read(buffer, 0, chunkBytes).catch((error) => {
      if (error.code === 'EAGAIN') return null;
      throw error;
    });
    if (read && read.bytesRead > 0) {
      hasBegun = true;
      onBytes(read.bytesRead);
      yield Buffer.from(buffer.subarray(0, read.bytesRead));
      continue;
    }
    if (read && hasBegun) return;
    if (sinceMs !== null && !hasBegun && performance.now() - sinceMs > openedWithinMs) return;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

const failed = (detail: string, cause?: unknown) => new Problem('sandbox-failed', { detail, cause });
