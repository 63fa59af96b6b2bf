import { createReadStream } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Pack, pack } from 'tar-stream';
import { writePieces } from './write-pieces.ts';

type Skip = (path: string) => void;

/** The folder as a tar archive, as it is read. `skip` hears of links and devices, which sessions do not take. */
export async function* packFolder(folder: string, skip: Skip): AsyncGenerator<Uint8Array> {
  const archive = pack();
  const fed = addFolder(archive, { folder, inside: '', skip }).then(
    () => archive.finalize(),
    (error) => archive.destroy(error),
  );
  try {
    yield* archive as AsyncIterable<Uint8Array>;
  } finally {
    archive.destroy();
    await fed;
  }
}

type Source = { folder: string; inside: string; skip: Skip };

async function addFolder(archive: Pack, { folder, inside, skip }: Source): Promise<void> {
  for (const name of (await readdir(folder)).toSorted()) {
    if (archive.destroyed) return;
    const path = join(folder, name);
    const { mode, mtime, size, ...stats } = await statsOf(path);
    const header = { name: inside + name, mode, mtime };
    if (stats.isFolder) {
      archive.entry({ ...header, type: 'directory' });
      await addFolder(archive, { folder: path, inside: `${inside}${name}/`, skip });
    } else if (stats.isFile) {
      const entry = archive.entry({ ...header, size });
      // The archive fails as well, and reports the error to its reader.
      entry.on('error', () => {});
      await writePieces(entry, bytesOf(path, size));
    } else skip(path);
  }
}

async function statsOf(path: string) {
  const stats = await lstat(path);
  const { mode, mtime, size } = stats;
  return { mode, mtime, size, isFolder: stats.isDirectory(), isFile: stats.isFile() };
}

/** A file that grows meanwhile is taken as large as it was. */
async function* bytesOf(path: string, size: number): AsyncGenerator<Uint8Array> {
  if (size > 0) yield* createReadStream(path, { end: size - 1 });
}
