import { type NamedSnapshot, Problem } from '@holdfast/specs/public';
import type { Database } from '../../registry/connect.ts';
import type { SnapshotRow } from '../../registry/schema/snapshots.ts';
import { findSnapshot } from '../../registry/snapshots/find-snapshot.ts';
import type { Caller } from '../../sessions/caller.ts';
import { namedSnapshotView } from './named-snapshot-view.ts';

type Key = { caller: Caller; name: string };

/** @throws Problem 404 */
export async function getNamedSnapshot(deps: { db: Database }, key: Key): Promise<NamedSnapshot> {
  return namedSnapshotView(await findNamedSnapshot(deps, key));
}

/** @throws Problem 404 */
export async function findNamedSnapshot({ db }: { db: Database }, { caller, name }: Key): Promise<SnapshotRow> {
  const snapshot = await findSnapshot(db, { ref: name, tenant: caller.tenant });
  if (!snapshot) throw noSnapshot(name);
  return snapshot;
}

export const noSnapshot = (ref: string) => new Problem('not-found', { detail: `snapshot ${ref} does not exist` });
