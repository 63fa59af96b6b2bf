import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { ZipFile } from 'yazl';
import { copiedPieces, type PackedFile } from './packed-files.ts';

/** Packs files as a zip, deflated. */
export async function* packZip(files: Iterable<PackedFile>): AsyncGenerator<Uint8Array> {
  const { default: yazl } = await import('yazl');
  const zip = new yazl.ZipFile();
  const output = zip.outputStream as Readable;
  zip.on('error', (error) => output.destroy(error));
  const reading: { content: Readable | null } = { content: null };
  const fed = feed(zip, { files, reading }).catch((error) => output.destroy(error));
  try {
    for await (const piece of output) yield piece;
  } finally {
    output.destroy();
    // A file must not be closed while it is read.
    reading.content?.destroy();
    await fed;
  }
}

async function feed(
  zip: ZipFile,
  { files, reading }: { files: Iterable<PackedFile>; reading: { content: Readable | null } },
): Promise<void> {
  for (const { path, mode, modifiedAt: mtime, file } of files) {
    if ((zip.outputStream as Readable).destroyed) return;
    if (!file) {
      zip.addEmptyDirectory(path, { mtime, mode });
      continue;
    }
    reading.content = Readable.from(copiedPieces(file), { objectMode: false });
    zip.addReadStream(reading.content, path, { mtime, mode, size: Number(file.stats.size) });
    await finished(reading.content);
  }
  zip.end();
}
