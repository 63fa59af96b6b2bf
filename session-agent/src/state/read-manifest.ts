import { open } from 'node:fs/promises';
import {
  archiveEnd,
  manifestBytesMax,
  manifestLengthDigits,
  type SnapshotManifest,
  snapshotManifestSchema,
} from '@holdfast/specs/public';

const footerBytes = manifestLengthDigits + archiveEnd.length;

/** The manifest at the end of an archive; null if it is not complete, or not an archive. */
export async function readManifest(path: string): Promise<SnapshotManifest | null> {
  const file = await open(path, 'r');
  const read = async (position: number, length: number) =>
    (await file.read(Buffer.alloc(length), 0, length, position)).buffer.toString();
  try {
    const { size } = await file.stat();
    if (size < footerBytes) return null;
    const footer = await read(size - footerBytes, footerBytes);
    const length = Number(footer.slice(0, manifestLengthDigits));
    if (!footer.endsWith(archiveEnd) || !(length > 0 && length <= Math.min(manifestBytesMax, size - footerBytes))) {
      return null;
    }
    return snapshotManifestSchema.safeParse(jsonIn(await read(size - footerBytes - length, length))).data ?? null;
  } finally {
    await file.close();
  }
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
