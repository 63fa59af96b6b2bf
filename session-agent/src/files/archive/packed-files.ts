import { isUtf8 } from 'node:buffer';
import { closeSync } from 'node:fs';
import { holdEntry } from '../paths/entry-handle.ts';
import { type OpenFile, openEntry } from '../read/open-file.ts';
import { walkTree } from '../read/walk-tree.ts';
import { archiveLimits } from './archive-limits.ts';

/** What goes into an archive; a file is open until the next one is asked for, null stands for a directory. */
export type PackedFile = { path: string; mode: number; modifiedAt: Date; file: OpenFile | null };

/**
 * The directories and regular files below a held directory. Left out is what is neither, what cannot be read, and what has a name that
 * is not UTF-8.
 */
export function* packedFiles(directory: number): Generator<PackedFile> {
  for (const met of walkTree(directory, { depthMax: archiveLimits.depthMax, entriesMax: archiveLimits.entriesMax })) {
    const bytes = Buffer.from(met.path, 'latin1');
    if (!isUtf8(bytes)) continue;
    const path = bytes.toString();
    const facts = { path, mode: Number(met.stats.mode) & 0o777, modifiedAt: new Date(Number(met.stats.mtimeMs)) };
    if (met.stats.isDirectory()) yield { ...facts, path: `${path}/`, file: null };
    if (!met.stats.isFile()) continue;
    const file = openOrNull(met.directory, met.name);
    if (!file) continue;
    try {
      yield { ...facts, file };
    } finally {
      file[Symbol.dispose]();
    }
  }
}

function openOrNull(directory: number, name: Buffer): OpenFile | null {
  try {
    const entry = holdEntry(directory, name);
    try {
      return openEntry({ entry });
    } finally {
      closeSync(entry.descriptor);
    }
  } catch {
    return null;
  }
}
