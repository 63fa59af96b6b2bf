import { columnsOf } from '../columns-of.ts';
import type { Queries } from '../queries.ts';
import { type SessionRow, sessions } from '../schema/sessions.ts';

type ResumeInput = {
  id: string;
  /** The replica that goes on with the start. */
  replicaId: string;
  /** Seconds until the start deadline. */
  startSeconds: number;
};

/** Hands the start of a session's sandbox over to this replica, with a new deadline. Null if the session is not `creating`. */
export async function resumeLaunch(
  { sql }: Queries,
  { id, replicaId, startSeconds }: ResumeInput,
): Promise<SessionRow | null> {
  const [session] = await sql<SessionRow[]>`
    with resumed as (
      update sessions set start_deadline_at = now() + ${startSeconds}::float8 * interval '1 second'
      where id = ${id} and status = 'creating'
      returning *
    ), launching as (
      update sandboxes set replica_id = ${replicaId}, deadline_at = resumed.start_deadline_at
      from resumed
      where sandboxes.session_id = resumed.id and sandboxes.epoch = resumed.epoch and sandboxes.state = 'launching'
    )
    select ${sql.unsafe(columns)} from resumed`;
  return session ?? null;
}

const columns = columnsOf(sessions);
