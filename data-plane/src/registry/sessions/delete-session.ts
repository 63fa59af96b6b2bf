import type { Queries } from '../queries.ts';
import { purgeSteps } from '../steps/purge-steps.ts';
import { boundLocks } from '../tenants/lock-tenant.ts';
import { endedStatuses } from './live-statuses.ts';

const portion = 1000;

/** The rows of a session that may be many: their table and its key. */
const history = [
  { table: 'artifacts', key: 'id' },
  { table: 'proposal_changes', key: 'proposal_id, kind, path' },
  { table: 'world_files', key: 'session_id, path' },
  { table: 'world_directories', key: 'session_id, path' },
  { table: 'snapshot_directories', key: 'snapshot_id, path' },
  { table: 'snapshot_files', key: 'snapshot_id, path' },
];

/**
 * Deletes an ended session with all its history and leaves a tombstone; false if it has not ended or a sandbox of it is not known to be gone.
 * The history goes first, in portions, so that no statement takes long. If this is interrupted, it may be repeated.
 */
export async function deleteSession(queries: Queries, { id }: { id: string }): Promise<boolean> {
  const { sql } = queries;
  const ended = await sql`
    select from sessions
    where id = ${id} and status = any (${endedStatuses}::text[]) and sandbox_gone_at is not null`;
  if (ended.count === 0) return false;
  await untilNoneIsLeft(() => purgeSteps(queries, { sessionId: id, upTo: 'all', keySeconds: 0 }));
  for (const { table, key } of history) {
    const ofSession = table.startsWith('snapshot_')
      ? sql`snapshot_id in (select id from snapshots where session_id = ${id})`
      : sql`session_id = ${id}`;
    await untilNoneIsLeft(async () => {
      const { count } = await sql`
        delete from ${sql(table)} where (${sql.unsafe(key)}) in (
          select ${sql.unsafe(key)} from ${sql(table)} where ${ofSession} limit ${portion}
        )`;
      return count;
    });
  }
  return await queries.transaction((tx) => bury(tx, id));
}

/**
 * Locks the budget first, as everywhere, and the other rows in the order in which a write of files does. If other sessions share the budget, it
 * stays, and what unfinished steps and processes have reserved is settled.
 */
async function bury(tx: Queries, id: string): Promise<boolean> {
  await boundLocks(tx);
  const shared = await tx.sql<{ id: string }[]>`
    select id from budgets where id = (select budget_of from sessions where id = ${id}) for update`;
  await tx.sql`
    update steps set status = 'lost', cause = '{"code": "session_ended"}', finished_at = now()
    where session_id = ${id} and replica_id is not null and budget_id is not null`;
  await tx.sql`
    update processes set status = 'lost', cause = '{"code": "session_ended"}', finished_at = now()
    where session_id = ${id} and replica_id is not null and budget_id is not null`;
  await tx.sql`select from worlds where session_id = ${id} for update`;
  await tx.sql`select from sessions where id = ${id} for update`;
  await tx.sql`select from session_storage where session_id = ${id} for update`;
  const tombs = await tx.sql`
    with kept as materialized (
      select bytes from session_storage where session_id = ${id}
    ), gone as (
      delete from sessions where id = ${id} and status = any (${endedStatuses}::text[]) and sandbox_gone_at is not null
      returning id, tenant
    ), freed as (
      update tenants set kept_bytes = tenants.kept_bytes - kept.bytes from gone, kept where tenants.tenant = gone.tenant
    )
    insert into tombstones (session_id, tenant) select id, tenant from gone
    on conflict (session_id) do update set deleted_at = now()
    returning session_id`;
  await tx.sql`
    delete from budgets where id = any(${shared.map((budget) => budget.id)}::text[])
      and not exists (select from sessions where budget_of = budgets.id)`;
  return tombs.length > 0;
}

/** Repeats an operation on one portion until it finds nothing. Returns the sum of what it found. */
export async function untilNoneIsLeft(purgePortion: () => Promise<number>): Promise<number> {
  let sum = 0;
  for (let count = await purgePortion(); count > 0; count = await purgePortion()) sum += count;
  return sum;
}
