import { closeSync, constants } from 'node:fs';
import type { Entry } from 'yauzl';
import type { ArchiveEntry } from './archive-entry.ts';
import { unpackedBytesMax } from './archive-limits.ts';
import { createArchiveNames, refused } from './archive-names.ts';

/**
 * The entries of a zip that lies in an open file; closes it.
 * @throws Problem `archive-refused`, also where the sizes that it states are those of a bomb; the sizes are held to as it is read
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
      if (left < 0) throw refused('it becomes far too much when it is unpacked', entry.fileName);
      const path = names.admit(entry.fileName, 'file');
      const body = await zip.openReadStreamPromise(entry);
      yield { kind: 'file', path, mode: entry.externalFileAttributes >>> 16, body };
    }
  } finally {
    zip.close();
  }
}

/** The upper half of the attributes is a Unix mode, or 0 where the archive is not from Unix. */
function assertPlain({ externalFileAttributes, fileName }: Entry): void {
  const type = (externalFileAttributes >>> 16) & constants.S_IFMT;
  if (type === 0 || type === constants.S_IFREG || type === constants.S_IFDIR) return;
  throw refused('there is something that is neither file nor directory', fileName);
}
