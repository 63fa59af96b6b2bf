import { execFile, spawnSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createFifoReader, type FifoReader } from '../fifo-reader.ts';

const run = promisify(execFile);

/** The FIFO of one of a kernel's streams: `own` and `copy` are two separately opened writing ends. */
export type Fifo = { reader: FifoReader; own: number; copy: number };

/** The reading ends of two FIFOs that the kernel opens by name: `1` for stdout and `2` for stderr, in `folder`. */
export type NamedFifos = {
  folder: string;
  stdout: FifoReader;
  stderr: FifoReader;
  /** Call once the kernel has opened them: removes the names and closes our writing ends, so that the readers can end. */
  release: () => void;
};

/**
 * Creates the FIFOs for a kernel's stdout and stderr and removes their names again. They are FIFOs because `/dev/stdout` cannot be
 * opened on the socket pairs that Node creates for pipes.
 */
export function openFifos(tmp: string): { stdout: Fifo; stderr: Fifo; closeWriters: () => void } {
  const folder = mkdtempSync(join(tmp, 'holdfast-kernel-'));
  try {
    const paths = pathsIn(folder);
    const made = spawnSync('mkfifo', ['-m', '600', ...paths], { stdio: ['ignore', 'ignore', 'pipe'] });
    if (made.status !== 0) throw made.error ?? new Error(`mkfifo failed: ${made.stderr}`);
    const stdout = openFifo(paths[0]);
    const stderr = openFifo(paths[1]);
    const writers = [stdout.own, stdout.copy, stderr.own, stderr.copy];
    return { stdout, stderr, closeWriters: () => writers.forEach(closeSync) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Creates a pair of FIFOs whose names stay until `opened` is called. Does not block. */
export async function createNamedFifos(tmp: string): Promise<NamedFifos> {
  const folder = mkdtempSync(join(tmp, 'holdfast-kernel-'));
  const remove = () => void rm(folder, { recursive: true, force: true }).catch(() => {});
  try {
    const paths = pathsIn(folder);
    await run('mkfifo', ['-m', '600', ...paths]);
    const [stdout, stderr] = [openFifo(paths[0]), openFifo(paths[1])];
    for (const fifo of [stdout, stderr]) closeSync(fifo.copy);
    const release = () => {
      for (const fifo of [stdout, stderr]) closeSync(fifo.own);
      remove();
    };
    return { folder, stdout: stdout.reader, stderr: stderr.reader, release };
  } catch (error) {
    remove();
    throw error;
  }
}

const pathsIn = (folder: string) => [join(folder, '1'), join(folder, '2')] as const;

function openFifo(path: string): Fifo {
  // The reader comes first: without a reader, opening a writing end would block.
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const own = openSync(path, constants.O_WRONLY);
  const copy = openSync(path, constants.O_WRONLY);
  return { reader: createFifoReader(reader), own, copy };
}
