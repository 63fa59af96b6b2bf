import type { ArchiveEntry } from './archive-entry.ts';
import { createArchiveNames, refused } from './archive-names.ts';
import { writePieces } from './write-pieces.ts';

/** Reads the entries of a tar while it is received. @throws Problem `archive-refused`, and any error of the body */
export async function* readTar(body: AsyncIterable<Uint8Array>): AsyncGenerator<ArchiveEntry> {
  const { default: tarStream } = await import('tar-stream');
  const names = createArchiveNames();
  const tar = tarStream.extract();
  const fault: { error?: unknown } = {};
  void writePieces(tar, body).catch((error) => {
    fault.error = error;
    tar.destroy(error);
  });
  try {
    for await (const entry of tar) {
      const { name, type, mode } = entry.header;
      if (type === 'directory') {
        yield { kind: 'directory', path: names.admit(name, 'directory') };
        entry.resume();
      } else if (type === 'file' || type === 'contiguous-file') {
        yield { kind: 'file', path: names.admit(name, 'file'), mode, body: entry as AsyncIterable<Uint8Array> };
      } else {
        throw refused('an entry is neither a file nor a directory', name);
      }
    }
  } catch (error) {
    throw fault.error ?? error;
  }
}
