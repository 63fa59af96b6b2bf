import type { Queries } from '../queries.ts';

/** How far a session has come. */
export type SessionMarks = {
  id: string;
  /** The highest step number. */
  stepCount: number;
  /** The number of an entry of the audit log, up to which all entries are there. */
  entryNumber: number;
  /** Whether the session ended long enough ago for everything about it to be recorded. */
  isOver: boolean;
};

/** A step that had just begun when its session ended may be recorded after that. */
const overSeconds = 1;

/** The marks of those sessions that are there. `entryNumber`: the mark that is known already, 0 if none is. */
export async function listSessionMarks(
  { sql }: Queries,
  { known }: { known: readonly Pick<SessionMarks, 'id' | 'entryNumber'>[] },
): Promise<SessionMarks[]> {
  const values = [known.map(({ id }) => id), known.map(({ entryNumber }) => entryNumber), overSeconds];
  return await sql.unsafe<SessionMarks[]>(text, values, { prepare: true });
}

/**
 * The lock is the one under which entries get their numbers (see the migration of `audit_entries_order`). It is free only if no
 * entry is under way whose number is below that of an entry which this statement sees. It is not waited for.
 */
const text = `
  select id, "stepCount", "isOver" and "isSettled" as "isOver",
    (case when "isSettled" then latest else known end)::float8 as "entryNumber"
  from (
    select s.id, step_count as "stepCount", known, latest,
      latest = known or pg_try_advisory_xact_lock(49, hashtext(s.id)) as "isSettled",
      coalesce(sandbox_gone_at is not null and greatest(ended_at, sandbox_gone_at) < now() - $3::float8 * interval '1 second', false)
        as "isOver"
    from unnest($1::text[], $2::int8[]) as k(id, known)
    join sessions s on s.id = k.id
    cross join lateral (select coalesce(max(a.id), known) as latest from audit_entries a where a.session_id = s.id) as entries
  ) as marked`;
