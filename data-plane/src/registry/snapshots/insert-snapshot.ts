import type { SavedFiles, SnapshotManifest } from '@holdfast/specs/public';
import type { Queries } from '../queries.ts';
import type { SnapshotRow } from '../schema/snapshots.ts';
import { recountKeptBytes } from '../tenants/recount-kept-bytes.ts';

/** A snapshot of a session. */
export type NewSnapshot = Pick<
  SnapshotRow,
  'id' | 'contextId' | 'language' | 'origin' | 'size' | 'epoch' | 'contextEpoch' | 'executionCount' | 'silentCount'
> & {
  sessionId: string;
  sha256: string | null;
  manifest: SnapshotManifest | null;
  files?: SavedFiles | null;
};

export type InsertedSnapshot = {
  tenant: string;
  createdAt: Date;
  /** The contents of the snapshots that this one replaces. */
  replaced: { sha256: string; createdAt: Date }[];
};

/**
 * Records the state that a context has now. Its bytes are counted, but not limited: the context has them already.
 * @returns null if the session is not live in this epoch
 */
export async function insertSnapshot(
  { transaction }: Queries,
  snapshot: NewSnapshot,
): Promise<InsertedSnapshot | null> {
  return await transaction(async (tx) => {
    const inserted = await insertAndReplace(tx, snapshot);
    if (inserted) await recountKeptBytes(tx, snapshot);
    return inserted;
  });
}

/**
 * Inserts a snapshot of a session that is live in this epoch. Earlier ones of the same context that no client asked for are deleted: a
 * recovery starts from this one now. The point at which the context began stays until it begins anew: a replay starts from there. The bytes of the session are to be counted in the same transaction.
 */
export async function insertAndReplace(tx: Queries, snapshot: NewSnapshot): Promise<InsertedSnapshot | null> {
  const inserted = await insert(tx, snapshot);
  return inserted && { ...inserted, replaced: await deleteReplaced(tx, snapshot) };
}

async function insert(
  { sql }: Queries,
  {
    id,
    sessionId,
    contextId,
    epoch,
    contextEpoch,
    executionCount,
    silentCount,
    manifest,
    files,
    ...input
  }: NewSnapshot,
): Promise<{ createdAt: Date; tenant: string } | null> {
  const [inserted] = await sql<{ createdAt: Date; tenant: string }[]>`
    with live as (
      select id, tenant from sessions
      where id = ${sessionId} and epoch = ${epoch}::int and status in ('creating', 'active', 'budget_exceeded', 'pausing', 'recovering', 'resuming')
      for key share
    ), inserted as (
      insert into snapshots (
        id, session_id, context_id, language, origin, sha256, size, manifest, files, epoch, context_epoch, execution_count, silent_count)
      select ${id}, id, ${contextId}, ${input.language}, ${input.origin}, decode(${input.sha256}, 'hex'), ${input.size}::bigint,
        ${manifest && JSON.stringify(manifest)}::text::jsonb, ${files ? JSON.stringify(files) : null}::text::jsonb,
        ${epoch}::int, ${contextEpoch}::int, ${executionCount}::int, ${silentCount}::int
      from live
      returning created_at
    )
    select created_at as "createdAt", tenant from inserted, live`;
  return inserted ?? null;
}

async function deleteReplaced(
  { sql }: Queries,
  { id, sessionId, contextId, origin, epoch, contextEpoch, executionCount, silentCount }: NewSnapshot,
): Promise<InsertedSnapshot['replaced']> {
  const replaced = await sql<InsertedSnapshot['replaced']>`
    delete from snapshots
    where session_id = ${sessionId} and context_id = ${contextId} and id <> ${id} and (origin = 'auto' or (origin = 'base' and ${origin} = 'base'))
      and (epoch, context_epoch, execution_count, silent_count)
        <= (${epoch}::int, ${contextEpoch}::int, ${executionCount}::int, ${silentCount}::int)
    returning encode(sha256, 'hex') as sha256, created_at as "createdAt"`;
  return replaced.filter(({ sha256 }) => sha256 !== null);
}
