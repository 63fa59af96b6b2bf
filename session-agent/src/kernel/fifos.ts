import { spawnSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';

/** The FIFO of one of a kernel's streams: `own` and `copy` are writing ends that were opened separately. */
export type Fifo = { reader: Socket; own: number; copy: number };

/**
 * Makes the FIFOs for a kernel's stdout and stderr and removes their names again.
 * FIFOs, because `/dev/stdout` cannot be opened on the socket pairs that Node makes for pipes.
 */
export function openFifos(tmp: string): { stdout: Fifo; stderr: Fifo; closeWriters: () => void } {
  const folder = mkdtempSync(join(tmp, 'holdfast-kernel-'));
  try {
    const paths = [join(folder, '1'), join(folder, '2')] as const;
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

function openFifo(path: string): Fifo {
  // The reader first: without one, opening a writing end would block.
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const own = openSync(path, constants.O_WRONLY);
  const copy = openSync(path, constants.O_WRONLY);
  return { reader: new Socket({ fd: reader, readable: true, writable: false }), own, copy };
}
