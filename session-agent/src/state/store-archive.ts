import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { archiveBytesMax } from '@holdfast/specs/agent';
import { Problem } from '@holdfast/specs/public';
import { makeFolder, unlessFull } from './no-space.ts';
import { readManifest } from './read-manifest.ts';
import type { ArchiveFile } from './take-archive.ts';

/**
 * Stores an archive that comes in the body of a request.
 * @throws Problem `body-too-large`, `workspace-full`, or `invalid-request` if the body is cut off or is not a complete archive
 */
export async function storeArchive(tmp: string, body: AsyncIterable<Uint8Array>): Promise<ArchiveFile> {
  const folder = await makeFolder(tmp);
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const path = join(folder, 'archive');
    const file = createWriteStream(path, { mode: 0o600 });
    await pipeline(bounded(body), file);
    const manifest = await readManifest(path);
    if (!manifest) throw new Problem('invalid-request', { detail: 'the body is not a complete archive' });
    return { path, size: file.bytesWritten, language: manifest.language, remove };
  } catch (error) {
    await remove();
    throw unlessFull(error);
  }
}

async function* bounded(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  let bytes = 0;
  for await (const piece of body) {
    bytes += piece.length;
    if (bytes > archiveBytesMax) throw new Problem('body-too-large', { detail: `at most ${archiveBytesMax} bytes` });
    yield piece;
  }
}
