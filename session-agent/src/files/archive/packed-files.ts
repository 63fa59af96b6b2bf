import { isUtf8 } from 'node:buffer';
import { closeSync } from 'node:fs';
import { openEntryHandle } from '../paths/entry-handle.ts';
import { type OpenFile, openResolved } from '../read/open-file.ts';
import { readFile } from '../read/read-file.ts';
import { walkTree } from '../read/walk-tree.ts';
import { archiveLimits } from './archive-limits.ts';

/** An entry to pack. `file` is open until the next entry is requested, and null for a directory. */
export type PackedFile = { path: string; mode: number; modifiedAt: Date; file: OpenFile | null };

/** The entries that are left out: names that are not UTF-8, what cannot be read, and links and devices. */
export type LeftOut = { names: number; unreadable: number; others: number };

/**
 * The directories and regular files below an open directory. Skips all other kinds, entries that cannot be read, and names that are not
 * UTF-8, and counts them in `leftOut`.
 */
export function* packedFiles(directory: number, leftOut: LeftOut): Generator<PackedFile> {
  for (const walked of walkTree(directory, {
    depthMax: archiveLimits.depthMax,
    entriesMax: archiveLimits.entriesMax,
  })) {
    const bytes = Buffer.from(walked.path, 'latin1');
    if (!isUtf8(bytes)) {
      leftOut.names++;
      continue;
    }
    const path = bytes.toString();
    const facts = { path, mode: Number(walked.stats.mode) & 0o777, modifiedAt: new Date(Number(walked.stats.mtimeMs)) };
    if (walked.stats.isDirectory()) {
      yield { ...facts, path: `${path}/`, file: null };
      continue;
    }
    if (!walked.stats.isFile()) {
      leftOut.others++;
      continue;
    }
    const file = openOrNull(walked.directory, walked.name);
    if (!file) {
      leftOut.unreadable++;
      continue;
    }
    try {
      yield { ...facts, file };
    } finally {
      file[Symbol.dispose]();
    }
  }
}

/** The bytes of a file up to the size it had, each piece in its own buffer, for streams that read ahead. */
export async function* copiedPieces(file: OpenFile): AsyncGenerator<Buffer> {
  for await (const piece of readFile(file, { start: 0, end: Number(file.stats.size) })) yield Buffer.from(piece);
}

function openOrNull(directory: number, name: Buffer): OpenFile | null {
  try {
    const entry = openEntryHandle(directory, name);
    try {
      return openResolved({ entry });
    } finally {
      closeSync(entry.descriptor);
    }
  } catch {
    return null;
  }
}
