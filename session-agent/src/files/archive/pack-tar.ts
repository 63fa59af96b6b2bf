import type { Pack } from 'tar-stream';
import { copiedPieces, type PackedFile } from './packed-files.ts';
import { writePieces } from './write-pieces.ts';

/** Packs files as a tar (POSIX.1-1988, with POSIX.1-2001 headers for long names). */
export async function* packTar(files: Iterable<PackedFile>): AsyncGenerator<Uint8Array> {
  const { default: tarStream } = await import('tar-stream');
  const tar = tarStream.pack();
  const fed = feed(tar, files).catch((error) => tar.destroy(error));
  try {
    yield* tar as AsyncIterable<Uint8Array>;
  } finally {
    tar.destroy();
    // A file must not be closed while it is read.
    await fed;
  }
}

async function feed(tar: Pack, files: Iterable<PackedFile>): Promise<void> {
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
  tar.finalize();
}
