import { appendFile, truncate } from 'node:fs/promises';
import {
  archiveEnd,
  type LostName,
  manifestBytesMax,
  manifestLengthDigits,
  reportedNamesMax,
  type SnapshotManifest,
} from '@holdfast/specs/public';
import { unlessFull } from './no-space.ts';
import { findManifest } from './read-manifest.ts';
import type { ArchiveFile } from './take-archive.ts';

/**
 * Adds names to those that an archive does not have: they were lost before it was taken, and no step has announced this. A recovery from the
 * archive then reports them. `lostEarlier` in the manifest says how many they are.
 * @throws Problem `workspace-full`
 */
export async function addLost(archive: ArchiveFile, lost: readonly LostName[]): Promise<ArchiveFile> {
  if (lost.length === 0) return archive;
  const found = await findManifest(archive.path);
  if (!found) return archive;
  const manifest = Buffer.from(JSON.stringify(withLost(found.manifest, lost)));
  const footer = `${String(manifest.length).padStart(manifestLengthDigits, '0')}${archiveEnd}`;
  const end = Buffer.concat([manifest, Buffer.from(footer)]);
  try {
    await truncate(archive.path, found.start);
    await appendFile(archive.path, end);
  } catch (error) {
    await archive.remove();
    throw unlessFull(error);
  }
  return { ...archive, size: found.start + end.length };
}

/** Names that are there again, or are named already, are left out. If the rest does not fit, `*` stands for it. Pure. */
export function withLost(
  manifest: SnapshotManifest,
  lost: readonly LostName[],
): SnapshotManifest & { lostEarlier: number } {
  const known = new Set([...manifest.saved, ...manifest.notSaved].map(({ name }) => name));
  const added = lost.filter(({ name }) => !known.has(name));
  const whole = { ...manifest, notSaved: [...manifest.notSaved, ...added], lostEarlier: added.length };
  if (whole.notSaved.length <= reportedNamesMax && Buffer.byteLength(JSON.stringify(whole)) <= manifestBytesMax) {
    return whole;
  }
  const rest = { name: '*', reason: `${added.length} names were lost with an earlier kernel` };
  const omitted = (manifest.omitted ?? 0) + manifest.notSaved.length + added.length;
  return { ...manifest, notSaved: [rest], omitted, lostEarlier: 1 };
}
