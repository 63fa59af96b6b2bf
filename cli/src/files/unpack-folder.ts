import { lstat, mkdir, open } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { extract } from 'tar-stream';
import { Failure } from '../failures/failure.ts';
import type { Skip } from './pack-folder.ts';
import { writePieces } from './write-pieces.ts';

/**
 * Writes the files of a tar archive below a folder. It comes from a sandbox, so a name that leads out of the folder ends the copy, and anything
 * but files and folders is left out, and told.
 */
export async function unpackFolder(body: ReadableStream<Uint8Array>, folder: string, skip: Skip): Promise<number> {
  await mkdir(folder, { recursive: true });
  const entries = extract();
  const reading = writePieces(entries, body as unknown as AsyncIterable<Uint8Array>).catch((error) =>
    entries.destroy(error),
  );
  const own = new Set<string>();
  let count = 0;
  const writing = async () => {
    for await (const entry of entries) {
      const { name, type, mode, pax } = entry.header;
      tellLeftOut(pax as { comment?: string } | undefined, skip);
      const parts = safeParts(name);
      const path = join(folder, ...parts);
      await refuseLinks(folder, parts, own);
      if (type === 'directory') await mkdir(path, { recursive: true });
      if (type === 'file') {
        await mkdir(dirname(path), { recursive: true });
        await writeFile(path, entry as AsyncIterable<Uint8Array>, (mode ?? 0o644) & 0o777);
        count++;
      } else {
        if (type !== 'directory') skip(name);
        entry.resume();
      }
    }
  };
  await Promise.all([reading, writing()]);
  return count;
}

const leftOutComment = /^holdfast-left-out names=(\d{1,9}) unreadable=(\d{1,9}) others=(\d{1,9})$/;

/** Says what the sandbox has left out of the archive, which has this in a comment at its end. */
function tellLeftOut(pax: { comment?: string } | undefined, skip: Skip): void {
  const [names = 0, unreadable = 0, others = 0] = (leftOutComment.exec(pax?.comment ?? '') ?? []).slice(1).map(Number);
  if (names > 0) skip(`${names} whose names are not UTF-8`, names);
  if (unreadable > 0) skip(`${unreadable} that cannot be read`, unreadable);
  if (others > 0) skip(`${others} links or devices`);
}

async function writeFile(path: string, pieces: AsyncIterable<Uint8Array>, mode: number): Promise<void> {
  await using file = await open(path, 'w', mode);
  for await (const piece of pieces) await file.writeFile(piece);
}

/** Links that were in the folder before lead out of it, too. `own` has the folders that are none, as they are found. */
async function refuseLinks(folder: string, parts: string[], own: Set<string>): Promise<void> {
  let path = folder;
  for (const part of parts) {
    path = join(path, part);
    if (own.has(path)) continue;
    const stats = await lstat(path).catch(() => null);
    if (stats === null) return;
    if (stats.isSymbolicLink()) throw new Failure(`${path} is a link, through which nothing is copied`);
    if (stats.isDirectory()) own.add(path);
  }
}

function safeParts(name: string): string[] {
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  // Elsewhere a backslash is a character like any other.
  const isSplit = (part: string) => part.includes('\0') || (sep === '\\' && part.includes(sep));
  if (name.startsWith('/') || parts.some((part) => part === '..' || isSplit(part))) {
    throw new Failure(`the archive names ${JSON.stringify(name)}, which leads out of the folder`);
  }
  return parts;
}
