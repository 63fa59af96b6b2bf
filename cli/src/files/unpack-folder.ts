import { mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { extract } from 'tar-stream';
import { Failure } from '../failures/failure.ts';
import { writePieces } from './write-pieces.ts';

/**
 * Writes the files of a tar archive below a folder. It comes from a sandbox, so a name that leads out of the folder ends the copy, and anything
 * but files and folders is left out.
 */
export async function unpackFolder(body: ReadableStream<Uint8Array>, folder: string): Promise<number> {
  await mkdir(folder, { recursive: true });
  const entries = extract();
  const reading = writePieces(entries, body as unknown as AsyncIterable<Uint8Array>).catch((error) =>
    entries.destroy(error),
  );
  let count = 0;
  const writing = async () => {
    for await (const entry of entries) {
      const { name, type, mode } = entry.header;
      const path = join(folder, ...safeParts(name));
      if (type === 'directory') await mkdir(path, { recursive: true });
      if (type === 'file') {
        await mkdir(dirname(path), { recursive: true });
        await writeFile(path, entry as AsyncIterable<Uint8Array>, (mode ?? 0o644) & 0o777);
        count++;
      } else entry.resume();
    }
  };
  await Promise.all([reading, writing()]);
  return count;
}

async function writeFile(path: string, pieces: AsyncIterable<Uint8Array>, mode: number): Promise<void> {
  await using file = await open(path, 'w', mode);
  for await (const piece of pieces) await file.writeFile(piece);
}

function safeParts(name: string): string[] {
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  if (name.startsWith('/') || parts.some((part) => part === '..' || /[\\\0]/.test(part))) {
    throw new Failure(`the archive names ${JSON.stringify(name)}, which leads out of the folder`);
  }
  return parts;
}
