import { type NamedSnapshot, Problem } from '@holdfast/specs/public';
import { entryOf } from '../../policy/audit/asked-by.ts';
import type { Database } from '../../registry/connect.ts';
import { insertNamedSnapshot } from '../../registry/snapshots/insert-named-snapshot.ts';
import type { StorageLimits } from '../../registry/tenants/read-room.ts';
import type { Caller } from '../../sessions/caller.ts';
import { namedSnapshotView } from './named-snapshot-view.ts';

export type KeepDependencies = { db: Database; limits: Pick<StorageLimits, 'keptTenantBytesMax'> };

type Keeping = Omit<Parameters<typeof insertNamedSnapshot>[1], 'tenant' | 'limits' | 'namedMax' | 'entry'> & {
  caller: Caller;
};

const namedMax = 1000;

/** @throws Problem 409 if the name is in use, 429, 507 */
export async function keepNamedSnapshot(
  { db, limits }: KeepDependencies,
  { caller, ...keeping }: Keeping,
): Promise<NamedSnapshot> {
  const { id, name, from } = keeping;
  const { tenant } = caller;
  const of = 'snapshotId' in from ? { from: from.snapshotId } : {};
  const entry = entryOf(caller, null, { operation: 'snapshot.keep', id, name, ...of });
  const kept = await insertNamedSnapshot(db, { ...keeping, tenant, limits, namedMax, entry });
  if (kept === null) throw nameTaken(name);
  if (kept === 'quota-reached') {
    throw new Problem('quota-exceeded', { detail: `a tenant may have ${namedMax} snapshots with a name` });
  }
  return namedSnapshotView({ ...keeping, ...kept, sha256: Buffer.from(keeping.sha256, 'hex') });
}

export const nameTaken = (name: string) =>
  new Problem('name-taken', {
    detail: `there is a snapshot with the name ${name}, which is never replaced; delete it first or choose another name`,
  });
