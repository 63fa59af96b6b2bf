import { spawnSync } from 'node:child_process';
import { closeSync, constants, openSync, readlinkSync, readSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';

const names = ['stdout', 'stderr'] as const;
type Stream = (typeof names)[number];

const chunk = Buffer.alloc(65_536);

/**
 * Makes the FIFOs that the kernel and its child processes have as fds 1 and 2, and calls `onOutput` with the bytes that they write there.
 * They are FIFOs because `/dev/stdout` cannot be opened on the sockets that Node creates for pipes.
 */
export function openRawOutput(folder: string, onOutput: (stream: Stream, bytes: Buffer) => void) {
  const paths = names.map((name) => join(folder, name));
  const made = spawnSync('mkfifo', ['-m', '600', ...paths], { stdio: ['ignore', 'ignore', 'pipe'] });
  if (made.status !== 0) throw made.error ?? new Error(`mkfifo failed: ${made.stderr}`);
  // The reader comes first: without a reader, opening a writing end would block.
  const readers = paths.map((path) => openSync(path, constants.O_RDONLY | constants.O_NONBLOCK));
  const writers = paths.map((path) => openSync(path, constants.O_WRONLY)) as [number, number];
  for (const path of paths) rmSync(path);
  const own = readlinkSync(`/proc/self/fd/${writers[0]}`);
  let isDropped = false;
  const pass = (stream: Stream, bytes: Buffer) => isDropped || onOutput(stream, bytes);
  for (const [index, name] of names.entries()) {
    const socket = new Socket({ fd: readers[index] as number, readable: true, writable: false });
    socket.on('error', () => {}).on('data', (bytes) => pass(name, bytes));
  }
  return {
    /** For the kernel. Close them here once it has started. */
    writers,
    closeWriters: () => writers.forEach(closeSync),
    /** Passes on what has been written so far. Call this before anything that the kernel has sent later. */
    drain(): void {
      for (const [index, name] of names.entries()) {
        for (let bytes = readNow(readers[index] as number); bytes; bytes = readNow(readers[index] as number)) {
          pass(name, bytes);
        }
      }
    },
    /**
     * Drops the output if the kernel has put something else in the place of its fd 1. Then it sends what is written there as messages,
     * and copies it here for a terminal, as IPython's kernels do.
     */
    dropCopies(pid: number): void {
      isDropped = readlinkSync(`/proc/${pid}/fd/1`) !== own;
    },
  };
}

function readNow(fd: number): Buffer | null {
  try {
    const bytes = readSync(fd, chunk);
    return bytes > 0 ? Buffer.from(chunk.subarray(0, bytes)) : null;
  } catch {
    // Nothing waits, or the socket has been closed.
    return null;
  }
}
