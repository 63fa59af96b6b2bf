import type { SnapshotManifest } from '@holdfast/specs/public';
import { createNamesThatFit } from './names-that-fit.ts';

/** A session has up to a hundred snapshots, which are listed together. */
const charactersMax = 64 * 1024;

/** Leaves out names, the last ones first, until a manifest is short enough. Names that were not saved matter more. Pure. */
export function boundManifest(manifest: SnapshotManifest): SnapshotManifest {
  const names = createNamesThatFit({ charactersMax });
  const notSaved = names.fit(manifest.notSaved);
  const saved = names.fit(manifest.saved);
  const omitted = names.omitted + (manifest.omitted ?? 0);
  return { ...manifest, saved, notSaved, ...(omitted > 0 && { omitted }) };
}
