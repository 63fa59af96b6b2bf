import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Pack, pack } from 'tar-stream';
import { writePieces } from './write-pieces.ts';

/** Hears of what is not copied. `lost`: how many entries that a session could have had under another name, or with other rights. */
export type Skip = (path: string, lost?: number) => void;

/** The folder as a tar archive, as it is read. `skip` hears of links, devices and names that are not UTF-8, which sessions do not take. */
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
  for (const bytes of (await readdir(folder, { encoding: 'buffer' })).toSorted(Buffer.compare)) {
    if (archive.destroyed) return;
    const name = bytes.toString();
    const path = join(folder, name);
    // A session shows names that are not UTF-8 with this character, so it takes none that has it.
    if (!isUtf8(bytes) || name.includes('\uFFFD')) {
      skip(`${path}, whose name is not UTF-8`, 1);
      continue;
    }
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
