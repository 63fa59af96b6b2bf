import { fstatSync } from 'node:fs';
import type { Pack } from 'tar-stream';
import { copiedPieces, type LeftOut, type PackedFile } from './packed-files.ts';
import { writePieces } from './write-pieces.ts';

type Packed = { directory: number; leftOut: Readonly<LeftOut> };

/** Packs files of a directory as a tar (POSIX.1-1988, with POSIX.1-2001 headers for long names). Its end says how many were left out. */
export async function* packTar(files: Iterable<PackedFile>, packed: Packed): AsyncGenerator<Uint8Array> {
  const { default: tarStream } = await import('tar-stream');
  const tar = tarStream.pack();
  const fed = feed(tar, files, packed).catch((error) => tar.destroy(error));
  try {
    yield* tar as AsyncIterable<Uint8Array>;
  } finally {
    tar.destroy();
    // A file must not be closed while it is read.
    await fed;
  }
}

async function feed(tar: Pack, files: Iterable<PackedFile>, { directory, leftOut }: Packed): Promise<void> {
  for (const { path: name, mode, modifiedAt: mtime, file } of files) {
    if (tar.destroyed) return;
    if (!file) {
      tar.entry({ name, mode, mtime, type: 'directory' });
      continue;
    }
    const entry = tar.entry({ name, mode, mtime, size: Number(file.stats.size) });
    // The tar fails as well, and reports the error to its reader.
    entry.on('error', () => {});
    await writePieces(entry, copiedPieces(file));
  }
  const { names, unreadable, others } = leftOut;
  if (names + unreadable + others > 0) {
    // The CLI reads the comment; any other program for archives takes this for the directory itself.
    const { mode, mtime } = fstatSync(directory);
    const comment = `holdfast-left-out names=${names} unreadable=${unreadable} others=${others}`;
    tar.entry({ name: './', type: 'directory', mode: mode & 0o777, mtime, pax: { comment } });
  }
  tar.finalize();
}
