import type { Queries } from '../queries.ts';
import type { ArtifactRow } from '../schema/artifacts.ts';

/** A step's change to one path. `sha256` is in hex and names a stored content. */
export type NewArtifact = Omit<ArtifactRow, 'sessionId' | 'createdAt' | 'sha256'> & {
  sha256: string | null;
  /** Default: now. */
  createdAt?: Date;
};

export type NewWorldFile = { path: string; sha256: string; size: number };

type RecordArtifactsInput = {
  sessionId: string;
  artifacts: readonly NewArtifact[];
  /** `remove` lists exact paths, without those below them. A path in `put` is not removed. */
  world: { put: readonly NewWorldFile[]; remove: readonly string[] };
};

/**
 * Writes the changes of a step together with their result in the session's world, or neither. Writing them again changes nothing. A
 * file replaces everything below its path, and the files at the paths of its directories. Does nothing if the session is gone.
 */
export async function recordArtifacts(
  { sql }: Queries,
  { sessionId, artifacts, world }: RecordArtifactsInput,
): Promise<void> {
  // An agent may name a path twice, which one statement cannot write. All writers use one order, so that they cannot deadlock.
  const rows = [...new Map(artifacts.map((artifact) => [artifact.id, artifact])).values()].toSorted(byId);
  const put = [...new Map(world.put.map((file) => [file.path, file])).values()].toSorted(byPath);
  const putPaths = new Set(put.map(({ path }) => path));
  const removed = new Set([...world.remove, ...put.flatMap(({ path }) => directoriesOf(path))]);
  await sql`
    with session as (
      select id from sessions where id = ${sessionId}
    ), put as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(put)}::text::jsonb) as r(path text, sha256 text, size bigint)
    ), removed as (
      delete from world_files w
      where w.session_id = ${sessionId} and w.path = any(${[...removed].filter((path) => !putPaths.has(path))}::text[])
    ), below as materialized (
      -- Uses one range of the index per file: a plain join would compare ten thousand files with ten thousand.
      select w.path from put p cross join lateral (
        select path from world_files
        where session_id = ${sessionId} and path > p.path || '/' and path < p.path || '0' offset 0
      ) as w
      except select path from put
    ), replaced as (
      delete from world_files w using below b where w.session_id = ${sessionId} and w.path = b.path
    ), files as (
      insert into world_files (session_id, path, size, sha256)
      select s.id, p.path, p.size, decode(p.sha256, 'hex') from put p cross join session s
      on conflict (session_id, path) do update
      set size = excluded.size, sha256 = excluded.sha256, updated_at = excluded.updated_at
    )
    insert into artifacts (id, session_id, step_id, path, role, change, size, sha256, mime_type, concurrent, omission, created_at)
    select
      a.id, s.id, a."stepId", a.path, a.role, a.change, a.size, decode(a.sha256, 'hex'), a."mimeType", a.concurrent, a.omission,
      coalesce(a."createdAt", now())
    from jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) as a(
      id text, "stepId" text, path text, role text, change text, size bigint, sha256 text, "mimeType" text, concurrent boolean,
      omission text, "createdAt" timestamptz) cross join session s
    on conflict (id) do update set
      change = excluded.change, size = excluded.size, sha256 = excluded.sha256, mime_type = excluded.mime_type,
      concurrent = excluded.concurrent, omission = excluded.omission
    where artifacts.session_id = excluded.session_id`;
}

const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
const byPath = (a: { path: string }, b: { path: string }) => (a.path < b.path ? -1 : 1);

/** `a`, `a/b` for `a/b/c`. */
function directoriesOf(path: string): string[] {
  const names = path.split('/');
  return names.slice(1).map((_, index) => names.slice(0, index + 1).join('/'));
}
