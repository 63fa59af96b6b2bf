import { closeSync, constants } from 'node:fs';
import type { Entry } from 'yauzl';
import type { ArchiveEntry } from './archive-entry.ts';
import { unpackedBytesMax } from './archive-limits.ts';
import { createArchiveNames, refused } from './archive-names.ts';

/**
 * Reads the entries of a zip in an open file, and closes the file.
 * @throws Problem `archive-refused`, also if the sizes it states are those of a zip bomb; reading enforces the stated sizes
 */
export async function* readZip({
  descriptor,
  size,
}: {
  descriptor: number;
  size: number;
}): AsyncGenerator<ArchiveEntry> {
  const { default: yauzl } = await import('yauzl');
  const names = createArchiveNames();
  const options = { lazyEntries: true, autoClose: false, strictFileNames: true };
  const zip = await yauzl.fromFdPromise(descriptor, options).catch((error) => {
    closeSync(descriptor);
    throw error;
  });
  let left = unpackedBytesMax(size);
  try {
    for await (const entry of zip.eachEntry()) {
      assertPlain(entry);
      if (entry.fileName.endsWith('/')) {
        yield { kind: 'directory', path: names.admit(entry.fileName, 'directory') };
        continue;
      }
      left -= entry.uncompressedSize;
      if (left < 0) throw refused('it becomes far too large when it is unpacked', entry.fileName);
      const path = names.admit(entry.fileName, 'file');
      const body = await zip.openReadStreamPromise(entry);
      yield { kind: 'file', path, mode: entry.externalFileAttributes >>> 16, body };
    }
  } finally {
    zip.close();
  }
}

/** The upper half of the attributes is a Unix mode, or 0 if the archive does not come from Unix. */
function assertPlain({ externalFileAttributes, fileName }: Entry): void {
  const type = (externalFileAttributes >>> 16) & constants.S_IFMT;
  if (type === 0 || type === constants.S_IFREG || type === constants.S_IFDIR) return;
  throw refused('an entry is neither a file nor a directory', fileName);
}
