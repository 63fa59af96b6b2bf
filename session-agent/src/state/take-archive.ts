import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { manifestBytesMax, Problem } from '@holdfast/specs/public';
import type { Kernel } from '../kernel-process/kernel.ts';
import type { ArchiveFifo } from './archive-fifo.ts';
import { makeFolder, unlessFull } from './no-space.ts';
import { readFailure, readManifest } from './read-manifest.ts';

/** For what a kernel does after its own time is over, such as writing the manifest. */
const graceMs = 5000;

type Taking = {
  kernel: Pick<Kernel, 'snapshot' | 'exited'>;
  fifo: ArchiveFifo;
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
 * @throws Problem `sandbox-failed` if the kernel dies, takes too long, or writes no complete archive; `workspace-full` if `tmp` is full
 */
export async function takeArchive({ kernel, fifo, tmp, onAnswered, ...wanted }: Taking): Promise<ArchiveFile> {
  const { bytesMax, timeoutMs, isFork } = wanted;
  const folder = await makeFolder(tmp);
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const path = join(folder, 'archive');
    const { path: fifoPath, reader } = await fifo.open();
    const deadline = AbortSignal.timeout(timeoutMs + graceMs);
    const answered = kernel.snapshot({ path: fifoPath, bytesMax, timeoutMs, isFork }).finally(onAnswered);
    // If it fails before anybody reads, the copy or the death below says so.
    answered.catch(() => {});
    const died = kernel.exited.then(() => {
      throw failed('the kernel ended during the snapshot');
    });
    const openedWithinMs = timeoutMs / 2;
    const copied = copyArchive({ reader, path, bytesMax, answered, openedWithinMs, signal: deadline });
    const size = await Promise.race([copied, died]).finally(() => reader.destroy());
    const manifest = await readManifest(path);
    if (!manifest) throw failed(await describeFailure(path));
    return { path, size, language: manifest.language, remove };
  } catch (error) {
    onAnswered();
    await Promise.all([remove(), fifo.remove()]);
    const cause = unlessFull(error);
    throw cause instanceof Problem ? cause : failed('the kernel did not write the archive in time', error);
  }
}

type Copying = {
  reader: Socket;
  path: string;
  bytesMax: number;
  answered: Promise<void>;
  /** A child of the kernel begins to write after the kernel has answered. On a busy machine, it first takes seconds to load its modules. */
  openedWithinMs: number;
  signal: AbortSignal;
};

/** Copies what comes through the FIFO, up to the end of its last writer. Returns the number of bytes. */
async function copyArchive({ reader, path, bytesMax, answered, openedWithinMs, signal }: Copying): Promise<number> {
  let bytes = 0;
  const endUnlessBegun = () => void (bytes === 0 && reader.destroy(failed('the kernel wrote no archive')));
  // If the agent itself stood still, its timers come first. Bytes that were written meanwhile are read before the archive is given up.
  const endAfterReading = () => void setImmediate(() => setImmediate(endUnlessBegun));
  answered.then(
    () => setTimeout(endAfterReading, openedWithinMs).unref(),
    (error) => reader.destroy(error),
  );
  async function* counted(chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      if (bytes > bytesMax + manifestBytesMax + 65_536) throw failed('the archive is larger than allowed');
      yield chunk;
    }
  }
  await pipeline(reader, counted, createWriteStream(path, { mode: 0o600 }), { signal });
  return bytes;
}

async function describeFailure(path: string): Promise<string> {
  const reason = await readFailure(path);
  return reason === null ? 'the kernel wrote no complete archive' : `the kernel could not save its state: ${reason}`;
}

const failed = (detail: string, cause?: unknown) => new Problem('sandbox-failed', { detail, cause });
