import type { Snapshot } from '@holdfast/specs/public';
import type { SessionSnapshotRow } from '../registry/schema/snapshots.ts';

/** A snapshot with a content, in the form that clients see. Pure. */
export function snapshotView(row: SessionSnapshotRow): Snapshot {
  const { id, sessionId, contextId, language, origin, size, sha256, manifest, files, createdAt } = row;
  return {
    id,
    sessionId,
    contextId,
    language,
    interpreter: manifest?.interpreter ?? '',
    origin: origin === 'auto' ? 'auto' : 'request',
    size,
    sha256: sha256?.toString('hex') ?? '',
    saved: manifest?.saved ?? [],
    notSaved: manifest?.notSaved ?? [],
    omitted: manifest?.omitted ?? 0,
    files,
    createdAt: createdAt.toISOString(),
  };
}
