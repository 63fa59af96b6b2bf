import type { SavedFiles, SnapshotManifest } from '@holdfast/specs/public';
import type { Queries } from '../queries.ts';
import type { SnapshotRow } from '../schema/snapshots.ts';
import { boundLocks } from '../tenants/lock-tenant.ts';
import type { StorageLimits } from '../tenants/read-room.ts';
import { recountKeptBytes } from '../tenants/recount-kept-bytes.ts';
import { recountWithinLimits } from '../tenants/recount-within-limits.ts';
import { lockWorldVersion } from '../world-files/world-version.ts';

type InsertInput = Pick<
  SnapshotRow,
  'id' | 'contextId' | 'language' | 'origin' | 'size' | 'epoch' | 'contextEpoch' | 'executionCount'
> & {
  sessionId: string;
  sha256: string | null;
  manifest: SnapshotManifest | null;
  /** The files of the world that belong to the state, if they still are those of this version. */
  files?: (SavedFiles & { version: string }) | null;
  /** Without limits, the bytes are only counted: the context has the state already. */
  limits?: StorageLimits;
};

type Inserted = {
  createdAt: Date;
  /** The contents of the snapshots that this one replaces. */
  replaced: { sha256: string; createdAt: Date }[];
};

/**
 * Records a snapshot of a session that is live in this epoch, and the files that belong to it. Earlier ones of the same context that no
 * client asked for are deleted: a recovery starts from this one now.
 * @returns null if the session is not live in this epoch
 * @throws Problem 507
 */
export async function insertSnapshot(
  { transaction }: Queries,
  { limits, ...input }: InsertInput,
): Promise<Inserted | 'files-changed' | null> {
  const { sessionId, files } = input;
  return await transaction(async (tx) => {
    if (files) {
      await boundLocks(tx);
      if (!(await lockWorldVersion(tx, { sessionId, version: files.version }))) return 'files-changed';
    }
    const inserted = await insert(tx, input);
    if (!inserted) return null;
    const { tenant, createdAt } = inserted;
    if (files) {
      await tx.sql`
        insert into snapshot_files (snapshot_id, path, size, sha256)
        select ${input.id}, path, size, sha256 from world_files where session_id = ${sessionId}`;
    }
    const replaced = await deleteReplaced(tx, input);
    await (limits ? recountWithinLimits(tx, { sessionId, tenant, limits }) : recountKeptBytes(tx, { sessionId }));
    return { createdAt, replaced };
  });
}

async function insert(
  { sql }: Queries,
  { id, sessionId, contextId, epoch, contextEpoch, executionCount, manifest, files, ...input }: InsertInput,
): Promise<{ createdAt: Date; tenant: string } | null> {
  const saved = files && { count: files.count, bytes: files.bytes, notSaved: files.notSaved };
  const [inserted] = await sql<{ createdAt: Date; tenant: string }[]>`
    with live as (
      select id, tenant from sessions
      where id = ${sessionId} and epoch = ${epoch}::int and status in ('creating', 'active', 'pausing', 'recovering', 'resuming')
      for key share
    ), inserted as (
      insert into snapshots (
        id, session_id, context_id, language, origin, sha256, size, manifest, files, epoch, context_epoch, execution_count)
      select ${id}, id, ${contextId}, ${input.language}, ${input.origin}, decode(${input.sha256}, 'hex'), ${input.size}::bigint,
        ${manifest && JSON.stringify(manifest)}::text::jsonb, ${saved ? JSON.stringify(saved) : null}::text::jsonb,
        ${epoch}::int, ${contextEpoch}::int, ${executionCount}::int
      from live
      returning created_at
    )
    select created_at as "createdAt", tenant from inserted, live`;
  return inserted ?? null;
}

async function deleteReplaced(
  { sql }: Queries,
  { id, sessionId, contextId, epoch, contextEpoch, executionCount }: InsertInput,
): Promise<Inserted['replaced']> {
  const replaced = await sql<Inserted['replaced']>`
    delete from snapshots
    where session_id = ${sessionId} and context_id = ${contextId} and origin <> 'request' and id <> ${id}
      and (epoch, context_epoch, execution_count) <= (${epoch}::int, ${contextEpoch}::int, ${executionCount}::int)
    returning encode(sha256, 'hex') as sha256, created_at as "createdAt"`;
  return replaced.filter(({ sha256 }) => sha256 !== null);
}
