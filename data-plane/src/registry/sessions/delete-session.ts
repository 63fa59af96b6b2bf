import type { Queries } from '../queries.ts';
import { endedStatuses } from './live-statuses.ts';

/** Deletes an ended session with all its history and leaves a tombstone; false if it has not ended or a sandbox of it is not known to be gone. */
export async function deleteSession({ sql }: Queries, { id }: { id: string }): Promise<boolean> {
  const tombs = await sql`
    with gone as (
      delete from sessions where id = ${id} and status = any (${endedStatuses}::text[]) and sandbox_gone_at is not null
      returning id, tenant
    )
    insert into tombstones (session_id, tenant) select id, tenant from gone
    on conflict (session_id) do update set deleted_at = now()
    returning session_id`;
  return tombs.length > 0;
}
