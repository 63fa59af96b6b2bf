import type { SnapshotManifest } from '@holdfast/specs/public';
import type { Queries } from '../queries.ts';
import type { SnapshotRow } from '../schema/snapshots.ts';

type InsertInput = Pick<
  SnapshotRow,
  'id' | 'sessionId' | 'contextId' | 'language' | 'origin' | 'size' | 'epoch' | 'contextEpoch' | 'executionCount'
> & { sha256: string | null; manifest: SnapshotManifest | null };

type Inserted = {
  createdAt: Date;
  /** The contents of the snapshots that this one replaces. */
  replaced: { sha256: string; createdAt: Date }[];
};

/**
 * Records a snapshot of a session that is live in this epoch. Earlier ones of the same context that no client asked for are deleted: a
 * recovery starts from this one now.
 * @returns null if the session is not live in this epoch
 */
export async function insertSnapshot({ transaction }: Queries, input: InsertInput): Promise<Inserted | null> {
  const { id, sessionId, contextId, epoch, contextEpoch, executionCount, manifest } = input;
  return await transaction(async ({ sql }) => {
    const [inserted] = await sql<{ createdAt: Date }[]>`
      insert into snapshots (id, session_id, context_id, language, origin, sha256, size, manifest, epoch, context_epoch, execution_count)
      select ${id}, id, ${contextId}, ${input.language}, ${input.origin}, decode(${input.sha256}, 'hex'), ${input.size}::bigint,
        ${manifest && JSON.stringify(manifest)}::text::jsonb, ${epoch}::int, ${contextEpoch}::int, ${executionCount}::int
      from (
        select id from sessions
        where id = ${sessionId} and epoch = ${epoch}::int and status in ('creating', 'active', 'pausing', 'recovering', 'resuming') for key share
      ) live
      returning created_at as "createdAt"`;
    if (!inserted) return null;
    const replaced = await sql<Inserted['replaced']>`
      delete from snapshots
      where session_id = ${sessionId} and context_id = ${contextId} and origin <> 'request' and id <> ${id}
        and (epoch, context_epoch, execution_count) <= (${epoch}::int, ${contextEpoch}::int, ${executionCount}::int)
      returning encode(sha256, 'hex') as sha256, created_at as "createdAt"`;
    return { ...inserted, replaced: replaced.filter(({ sha256 }) => sha256 !== null) };
  });
}
