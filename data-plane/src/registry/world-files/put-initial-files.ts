import type { Queries } from '../queries.ts';
import { recountKeptBytes } from '../tenants/recount-kept-bytes.ts';
import { directoriesOf } from './directories-of.ts';
import type { NewWorldFile } from './record-changes.ts';
import { insertDirectories } from './world-directories.ts';

/**
 * Puts the first files into the world of a session that is `creating`; they must form a tree. If the session starts with the files of
 * another one, these replace them, together with the files below their paths and in place of their directories. Without a sandbox there is no other
 * writer, so this needs no claim: the row of the session is locked, so that it becomes active only afterwards. May be repeated.
 */
export async function putInitialFiles(
  { transaction }: Queries,
  { sessionId, files }: { sessionId: string; files: readonly NewWorldFile[] },
): Promise<void> {
  const directories = [...new Set(files.flatMap(({ path }) => directoriesOf(path)))];
  await transaction(async (tx) => {
    await tx.sql`
      with session as materialized (
        select id from sessions where id = ${sessionId} and status = 'creating' for no key update
      ), first as materialized (
        select * from jsonb_to_recordset(${JSON.stringify(files)}::text::jsonb) as f(path text, sha256 text, size bigint)
      ), replaced as (
        delete from world_files w using session s
        where w.session_id = s.id and (w.path = any(${directories}::text[]) or w.path in (
          select b.path from first f join world_files b
            on b.session_id = s.id and b.path > f.path || '/' and b.path < f.path || '0'
        ) and w.path not in (select path from first))
      ), replaced_directories as (
        delete from world_directories d using session s where d.session_id = s.id and d.path in (
          select b.path from first f join world_directories b
            on b.session_id = s.id and b.path >= f.path and b.path < f.path || '0'
          where b.path = f.path or b.path > f.path || '/'
        )
      ), put_directories as (
        ${insertDirectories(tx, directories)}
      )
      insert into world_files (session_id, path, size, sha256, mode)
      select s.id, f.path, f.size, decode(f.sha256, 'hex'), '0644' from session s cross join first f
      on conflict (session_id, path) do update set
        size = excluded.size, sha256 = excluded.sha256, mode = coalesce(world_files.mode, excluded.mode), target = null`;
    await recountKeptBytes(tx, { sessionId });
  });
}
