import { Problem } from '@holdfast/specs/public';
import { type NewAuditEntry, recordAudit } from '../audit/record-audit.ts';
import type { Queries } from '../queries.ts';
import type { SnapshotRow } from '../schema/snapshots.ts';
import { lockTenant } from '../tenants/lock-tenant.ts';
import { readRoom, type StorageLimits } from '../tenants/read-room.ts';
import { storageFull } from '../tenants/storage-full.ts';
import type { NewWorldFile } from '../world-files/record-changes.ts';

type InsertInput = Pick<SnapshotRow, 'id' | 'language' | 'size' | 'manifest' | 'files'> & {
  tenant: string;
  name: string;
  sha256: string;
  /** The files: those of another snapshot, or stored contents. */
  from: { snapshotId: string } | { files: readonly NewWorldFile[]; directories: readonly string[] };
  limits: Pick<StorageLimits, 'keptTenantBytesMax'>;
  /** The named snapshots that a tenant may have. */
  namedMax: number;
  entry: NewAuditEntry;
};

/**
 * Records a snapshot that belongs to its tenant, with its files, and counts their bytes.
 * @returns null if the tenant has another snapshot of this name; `quota-reached` if it has as many as it may
 * @throws Problem 422 if the other snapshot is being deleted, 507
 */
export async function insertNamedSnapshot(
  { transaction }: Queries,
  { tenant, limits, namedMax, entry, ...input }: InsertInput,
): Promise<{ createdAt: Date; keptBytes: number } | 'quota-reached' | null> {
  const { id } = input;
  return await transaction(async (tx) => {
    await lockTenant(tx, { tenant });
    const [named] = await tx.sql<{ count: number; isTaken: boolean }[]>`
      select count(*)::int as count, coalesce(bool_or(name = ${input.name}), false) as "isTaken"
      from snapshots where tenant = ${tenant}`;
    if (named?.isTaken) return null;
    if ((named?.count ?? 0) >= namedMax) return 'quota-reached';
    await insert(tx, { ...input, tenant });
    const [counted] = await tx.sql<{ createdAt: Date; keptBytes: number }[]>`
      update snapshots set kept_bytes = (
        select sum(size) from (
          select sha256, size from snapshots where id = ${id} union select sha256, size from snapshot_files where snapshot_id = ${id}
        ) as referenced
      ) where id = ${id} returning created_at as "createdAt", kept_bytes::float8 as "keptBytes"`;
    const { createdAt, keptBytes } = counted as { createdAt: Date; keptBytes: number };
    const room = await readRoom(tx, { tenant, sessionId: '', limits: { ...limits, keptSessionBytesMax: 0 } });
    if (keptBytes > room.tenant) throw storageFull('tenant-limit', { ...limits, keptSessionBytesMax: 0 });
    await tx.sql`update tenants set kept_bytes = kept_bytes + ${keptBytes}::int8 where tenant = ${tenant}`;
    await recordAudit(tx, entry);
    return { createdAt, keptBytes };
  });
}

async function insert(
  { sql }: Queries,
  {
    id,
    tenant,
    name,
    language,
    sha256,
    size,
    manifest,
    files,
    from,
  }: Omit<InsertInput, 'limits' | 'namedMax' | 'entry'>,
): Promise<void> {
  await sql`
    insert into snapshots (
      id, tenant, name, context_id, language, origin, sha256, size, manifest, files, epoch, context_epoch, execution_count)
    values (
      ${id}, ${tenant}, ${name}, ${language}, ${language}, 'named', decode(${sha256}, 'hex'), ${size}::bigint,
      ${manifest && JSON.stringify(manifest)}::text::jsonb, ${files && JSON.stringify(files)}::text::jsonb, 0, 0, 0)`;
  if ('snapshotId' in from) {
    const { count } = await sql`
      with directories as (
        insert into snapshot_directories (snapshot_id, path)
        select ${id}, path from snapshot_directories where snapshot_id = ${from.snapshotId}
      )
      insert into snapshot_files (snapshot_id, path, size, sha256, executable, mode, target)
      select ${id}, path, size, sha256, executable, mode, target from snapshot_files where snapshot_id = ${from.snapshotId}`;
    if (count !== (files?.count ?? 0)) {
      throw new Problem('snapshot-refused', { detail: `snapshot ${from.snapshotId} is being deleted` });
    }
  } else {
    await sql`
      insert into snapshot_files (snapshot_id, path, size, sha256, executable, mode, target)
      select ${id}, path, size, decode(sha256, 'hex'), coalesce(executable, false), mode, target
      from jsonb_to_recordset(${JSON.stringify(from.files)}::text::jsonb)
        as f(path text, sha256 text, size bigint, executable boolean, mode text, target text)`;
    await sql`
      insert into snapshot_directories (snapshot_id, path)
      select ${id}, path from unnest(${[...new Set(from.directories)]}::text[]) as d(path)`;
  }
}
