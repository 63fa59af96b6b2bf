import { execFile } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The FIFO through which the kernels of a context hand over their archives. It is kept, because creating one takes a process. */
export class ArchiveFifo {
  readonly #tmp: string;
  #folder: string | null = null;

  /** @param tmp the folder for its own folder */
  constructor(tmp: string) {
    this.#tmp = tmp;
  }

  /** Opens it for reading. It stays silent until a writer has opened it, and ends with its last writer. */
  async open(): Promise<{ path: string; reader: Socket }> {
    const kept = this.#folder === null ? null : openIn(this.#folder);
    if (kept) return kept;
    // The user's code may have removed the earlier one.
    await this.remove();
    const folder = await mkdtemp(join(this.#tmp, 'holdfast-archive-'));
    this.#folder = folder;
    await run('mkfifo', ['-m', '600', pathIn(folder)]);
    const made = openIn(folder);
    if (!made) throw new Error('the FIFO for an archive is gone');
    return made;
  }

  /** Call if a writer may be left: the next snapshot must not read what that one writes. */
  async remove(): Promise<void> {
    const folder = this.#folder;
    this.#folder = null;
    if (folder) await rm(folder, { recursive: true, force: true });
  }
}

const pathIn = (folder: string) => join(folder, 'fifo');

/** Null if there is no such FIFO. */
function openIn(folder: string): { path: string; reader: Socket } | null {
  const path = pathIn(folder);
  let fd: number | null = null;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    return { path, reader: new Socket({ fd, readable: true, writable: false }) };
  } catch {
    if (fd !== null) closeSync(fd);
    return null;
  }
}
