import { type NamedSnapshot, type NameSnapshot, newId, Problem } from '@holdfast/specs/public';
import { findSnapshot } from '../../registry/snapshots/find-snapshot.ts';
import type { Caller } from '../../sessions/caller.ts';
import { type IdempotencyDependencies, idempotently } from '../../sessions/idempotently.ts';
import { usableSnapshot } from '../../state/usable-snapshot.ts';
import { type KeepDependencies, keepNamedSnapshot } from './keep-named-snapshot.ts';
import { namedSnapshotView } from './named-snapshot-view.ts';

type NameInput = { caller: Caller; request: NameSnapshot; idempotencyKey?: string | undefined };

/**
 * Keeps the snapshot of a session under a name: several sessions can start from it, also after the end of its own.
 * @throws Problem 409 if the name is in use, 422 if there is no such snapshot, 429, 507
 */
export async function nameSnapshot(
  deps: KeepDependencies & IdempotencyDependencies,
  { caller, request, idempotencyKey: key }: NameInput,
): Promise<NamedSnapshot> {
  const { tenant } = caller;
  const { name, snapshotId } = request;
  const first = { tenant, key, request: ['name snapshot', request], newId: newId('snp') };
  return await idempotently(deps, first, async (id, { resumed }) => {
    const earlier = resumed ? await findSnapshot(deps.db, { ref: id, tenant }) : null;
    if (earlier) return namedSnapshotView(earlier);
    const snapshot = await usableSnapshot(deps, { ref: snapshotId, tenant });
    if (snapshot.origin === 'base')
      throw new Problem('snapshot-refused', { detail: 'the snapshot is not one of yours' });
    const { language, size, manifest, files } = snapshot;
    const sha256 = snapshot.sha256.toString('hex');
    return await keepNamedSnapshot(deps, {
      caller,
      id,
      name,
      language,
      sha256,
      size,
      manifest,
      files,
      from: { snapshotId },
    });
  });
}
