import type { Queries } from '../queries.ts';
import type { ArtifactRow } from '../schema/artifacts.ts';
import { recountKeptBytes } from '../tenants/recount-kept-bytes.ts';

/** A step's change to one path. `sha256` is in hex and names a stored content. */
export type NewArtifact = Omit<ArtifactRow, 'sessionId' | 'createdAt' | 'sha256' | 'rule'> & {
  sha256: string | null;
  rule?: string | null;
  /** Default: now. */
  createdAt?: Date;
};

type RecordArtifactsInput = {
  sessionId: string;
  artifacts: readonly NewArtifact[];
};

/** Writes changes that have no result in the session's world. Writing them again changes nothing. Does nothing if the session is gone. */
export async function recordArtifacts(db: Queries, { sessionId, artifacts }: RecordArtifactsInput): Promise<void> {
  if (artifacts.length === 0) return;
  await db.transaction(async (tx) => {
    await tx.sql`
      with session as materialized (select id from sessions where id = ${sessionId} for key share)
      ${insertArtifacts(tx, artifacts)}`;
    await recountKeptBytes(tx, { sessionId });
  });
}

/** Inserts the artifacts of the one session that the statement calls `session`. */
export function insertArtifacts({ sql }: Queries, artifacts: readonly NewArtifact[]) {
  // An agent may name a path twice, which one statement cannot write. All writers use one order, so that they cannot deadlock.
  const rows = [...new Map(artifacts.map((artifact) => [artifact.id, artifact])).values()].toSorted(byId);
  return sql`
    insert into artifacts (id, session_id, step_id, path, role, change, size, sha256, mime_type, concurrent, omission, rule, created_at)
    select
      a.id, s.id, a."stepId", a.path, a.role, a.change, a.size, decode(a.sha256, 'hex'), a."mimeType", a.concurrent, a.omission,
      a.rule,
      coalesce(a."createdAt", now())
    from jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) as a(
      id text, "stepId" text, path text, role text, change text, size bigint, sha256 text, "mimeType" text, concurrent boolean,
      omission text, rule text, "createdAt" timestamptz) cross join session s
    on conflict (id) do update set
      change = excluded.change, size = excluded.size, sha256 = excluded.sha256, mime_type = excluded.mime_type,
      concurrent = excluded.concurrent, omission = excluded.omission, rule = excluded.rule
    where artifacts.session_id = excluded.session_id`;
}

const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
