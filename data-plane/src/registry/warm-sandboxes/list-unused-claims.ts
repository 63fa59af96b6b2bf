import { sessionStatuses } from '@holdfast/specs/public';
import type { Queries } from '../queries.ts';

/** The statuses in which a session waits for no sandbox any more. */
const statusesAfterStart = sessionStatuses.filter((status) => !['creating', 'recovering', 'resuming'].includes(status));

/**
 * The names of claimed sandboxes whose sessions no longer wait for them. The bind deletes the row, so these sandboxes serve no session. A
 * session in a status that this version does not know may wait for one.
 */
export async function listUnusedClaims({ sql }: Queries): Promise<string[]> {
  const unused = await sql<{ name: string }[]>`
    select name from warm_sandboxes
    where session_id is not null
      and not exists (
        select from sessions
        where sessions.id = session_id and sessions.epoch = warm_sandboxes.epoch
          and sessions.status <> all (${statusesAfterStart}::text[]))`;
  return unused.map(({ name }) => name);
}
