import { type Language, Problem } from '@holdfast/specs/public';
import type { Database } from '../registry/connect.ts';
import type { SnapshotRow } from '../registry/schema/snapshots.ts';
import { findSnapshot } from '../registry/snapshots/find-snapshot.ts';

/** `ref` is an id or a name. */
type Wanted = { ref: string; tenant: string; language?: Language };
export type UsableSnapshot = SnapshotRow & { sha256: Buffer };

/**
 * The tenant's snapshot, if it has a state that a context of this language can start from.
 * @throws Problem 422 if the tenant has no such snapshot, or it is of another language
 */
export async function usableSnapshot(
  { db }: { db: Database },
  { ref, tenant, language }: Wanted,
): Promise<UsableSnapshot> {
  const snapshot = await findSnapshot(db, { ref, tenant });
  if (!snapshot?.sha256) throw new Problem('snapshot-refused', { detail: `snapshot ${ref} does not exist` });
  if (language !== undefined && snapshot.language !== language) {
    const detail = `snapshot ${ref} has the state of a ${snapshot.language} context, which a ${language} context cannot load`;
    throw new Problem('snapshot-refused', { detail });
  }
  return { ...snapshot, sha256: snapshot.sha256 };
}
