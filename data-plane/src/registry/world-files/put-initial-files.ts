import type { Queries } from '../queries.ts';
import { recountKeptBytes } from '../tenants/recount-kept-bytes.ts';
import type { NewWorldFile } from './record-changes.ts';

/**
 * Puts the first files into the world of a session that is `creating`; they must form a tree. Without a sandbox there is no other
 * writer, so this needs no claim: the row of the session is locked, so that it becomes active only afterwards. May be repeated.
 */
export async function putInitialFiles(
  { transaction }: Queries,
  { sessionId, files }: { sessionId: string; files: readonly NewWorldFile[] },
): Promise<void> {
  await transaction(async (tx) => {
    await tx.sql`
      with session as (
        select id from sessions where id = ${sessionId} and status = 'creating' for no key update
      )
      insert into world_files (session_id, path, size, sha256)
      select s.id, f.path, f.size, decode(f.sha256, 'hex') from session s cross join
        jsonb_to_recordset(${JSON.stringify(files)}::text::jsonb) as f(path text, sha256 text, size bigint)
      on conflict (session_id, path) do nothing`;
    await recountKeptBytes(tx, { sessionId });
  });
}
