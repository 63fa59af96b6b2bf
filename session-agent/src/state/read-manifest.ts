import { open } from 'node:fs/promises';
import {
  archiveEnd,
  type LostName,
  manifestBytesMax,
  manifestLengthDigits,
  type SnapshotManifest,
  snapshotManifestSchema,
  storable,
} from '@holdfast/specs/public';

const footerBytes = manifestLengthDigits + archiveEnd.length;

/** The manifest at the end of an archive; null if it is not complete, or not an archive. */
export async function readManifest(path: string): Promise<SnapshotManifest | null> {
  return (await findManifest(path))?.manifest ?? null;
}

const failureBytesMax = 2000;

/** Why a kernel could not save its state, in its own words: the archive then ends with the line `failed: ` and the reason. Null if it does not say. */
export async function readFailure(path: string): Promise<string | null> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const length = Math.min(size, failureBytesMax);
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length);
    const reason = /(?:^|\n)failed: ([^\n]+)\n$/.exec(buffer.toString())?.[1];
    return reason === undefined ? null : storable(reason, 500);
  } finally {
    await file.close();
  }
}

/** `start`: the number of bytes before the manifest. `earlier`: the names that were lost before the archive was taken. */
type Found = { manifest: SnapshotManifest; start: number; earlier: LostName[] };

/** As `readManifest`, with what `add-lost.ts` has written. */
export async function findManifest(path: string): Promise<Found | null> {
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
    const start = size - footerBytes - length;
    const written = jsonIn(await read(start, length));
    const manifest = snapshotManifestSchema.safeParse(written).data;
    return manifest ? { manifest, start, earlier: earlierIn(written, manifest) } : null;
  } finally {
    await file.close();
  }
}

/** They are the last ones of those that the archive does not have. */
function earlierIn(written: unknown, { notSaved }: SnapshotManifest): LostName[] {
  const { lostEarlier: count } = written as { lostEarlier?: unknown };
  return typeof count === 'number' && count > 0 ? notSaved.slice(-count) : [];
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
