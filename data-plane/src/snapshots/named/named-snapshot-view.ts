import type { NamedSnapshot } from '@holdfast/specs/public';
import type { SnapshotRow } from '../../registry/schema/snapshots.ts';

type Row = Pick<
  SnapshotRow,
  'id' | 'name' | 'language' | 'size' | 'sha256' | 'manifest' | 'files' | 'keptBytes' | 'createdAt'
>;

/** A snapshot with a name, in the form that clients see. Pure. */
export function namedSnapshotView({ id, name, language, size, sha256, manifest, files, ...row }: Row): NamedSnapshot {
  return {
    id,
    name: name ?? '',
    language,
    interpreter: manifest?.interpreter ?? '',
    size,
    sha256: sha256?.toString('hex') ?? '',
    saved: manifest?.saved ?? [],
    notSaved: manifest?.notSaved ?? [],
    omitted: manifest?.omitted ?? 0,
    files,
    bytes: row.keptBytes,
    createdAt: row.createdAt.toISOString(),
  };
}
