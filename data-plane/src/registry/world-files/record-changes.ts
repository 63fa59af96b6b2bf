import { insertArtifacts, type NewArtifact } from '../artifacts/record-artifacts.ts';
import type { Queries } from '../queries.ts';
import { recountKeptBytes } from '../tenants/recount-kept-bytes.ts';
import type { WorldClaim } from './claim-world.ts';
import { directoriesOf, freeDirectories } from './directories-of.ts';
import { insertDirectories } from './world-directories.ts';

export type NewWorldFile = {
  path: string;
  sha256: string;
  size: number;
  /** Undefined if it is not known: a file that is replaced keeps what it has. */
  executable?: boolean | undefined;
  /** The permissions in octal digits. Null or undefined for a link, and if they are not known. */
  mode?: string | null | undefined;
  /** Only of a link, whose content it is. */
  target?: string | null | undefined;
};

type RecordChangesInput = {
  claim: WorldClaim;
  artifacts: readonly NewArtifact[];
  put: readonly NewWorldFile[];
  /** Exact paths, without those below them. A path in `put` is not removed. */
  remove: readonly string[];
  /** The same for directories. Those of the files are put as well. */
  directories?: { put: readonly string[]; remove: readonly string[] } | undefined;
  /** Does nothing if the policy has been changed since the claim. */
  underRules?: boolean;
  /** Further statements of the same transaction. */
  also?: ((tx: Queries) => Promise<void>) | undefined;
};

/**
 * Writes changes together with their result in the session's world, and releases the claim; or does nothing. A file replaces everything
 * at and below its path, and a directory the file at its path.
 *
 * @returns false if the claim is no longer valid
 */
export async function recordChanges(db: Queries, changes: RecordChangesInput): Promise<boolean> {
  return await db.transaction(async (tx) => {
    const isReleased = await changeAndRelease(tx, changes);
    if (!isReleased) return false;
    await changes.also?.(tx);
    await recountKeptBytes(tx, changes.claim);
    return true;
  });
}

const noDirectories = { put: [], remove: [] };

async function changeAndRelease(
  db: Queries,
  {
    claim: { sessionId, writer, isUnsettled, policyRevision },
    artifacts,
    put,
    remove,
    directories = noDirectories,
    underRules = false,
  }: RecordChangesInput,
): Promise<boolean> {
  const files = treeOf(put);
  const putPaths = new Set(files.map(({ path }) => path));
  const free = freeDirectories({ files, directories: directories.put.filter((path) => path !== '') });
  const putDirectories = new Set([...free, ...files.flatMap(({ path }) => directoriesOf(path))]);
  const removed = [...remove, ...putDirectories].filter((path) => !putPaths.has(path));
  const removedDirectories = directories.remove.filter((path) => !putDirectories.has(path));
  const [row] = await db.sql<{ isReleased: boolean }[]>`
    with released as (
      update worlds set writer = null, replica_id = null, reserved_bytes = 0, is_unsettled = ${isUnsettled}
      where session_id = ${sessionId} and writer = ${writer} and (${!underRules} or exists (
        select from sessions where id = ${sessionId} and policy_revision = ${policyRevision}
      ))
      returning session_id as id
    ), session as materialized (
      select id from sessions where id in (select id from released) for key share
    ), put as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(files)}::text::jsonb)
        as r(path text, sha256 text, size bigint, executable boolean, mode text, target text)
    ), removed as (
      delete from world_files w using session s
      where w.session_id = s.id and w.path = any(${[...new Set(removed)]}::text[])
    ), below as materialized (
      -- Uses one range of the index per file: a plain join would compare ten thousand files with ten thousand.
      select w.path from put p cross join lateral (
        select path from world_files
        where session_id = ${sessionId} and path > p.path || '/' and path < p.path || '0' offset 0
      ) as w
      except select path from put
    ), replaced as (
      delete from world_files w using below b, session s where w.session_id = s.id and w.path = b.path
    ), files as (
      insert into world_files (session_id, path, size, sha256, executable, mode, target)
      select s.id, p.path, p.size, decode(p.sha256, 'hex'), coalesce(p.executable, (
        select executable from world_files where session_id = s.id and path = p.path
      ), false), p.mode, p.target from put p cross join session s
      on conflict (session_id, path) do update set
        size = excluded.size, sha256 = excluded.sha256, executable = excluded.executable,
        mode = excluded.mode, target = excluded.target, updated_at = excluded.updated_at
    ), replaced_directories as materialized (
      select d.path from put p cross join lateral (
        select path from world_directories
        where session_id = ${sessionId} and path >= p.path and path < p.path || '0' offset 0
      ) as d
      where d.path = p.path or d.path > p.path || '/'
      union select unnest(${removedDirectories}::text[])
    ), removed_directories as (
      delete from world_directories d using replaced_directories r, session s where d.session_id = s.id and d.path = r.path
    ), put_directories as (
      ${insertDirectories(db, [...putDirectories])}
    ), listed as (
      ${insertArtifacts(db, artifacts)}
    )
    select exists (select from session) as "isReleased"`;
  return row?.isReleased ?? false;
}

/** The last file of each path, in order, without a file whose path is a directory of another one: code may have replaced it meanwhile. Pure. */
export function treeOf<File extends NewWorldFile>(files: readonly File[]): File[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  for (const { path } of files) for (const directory of directoriesOf(path)) byPath.delete(directory);
  return [...byPath.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
}
