import { type SQL, sql } from 'drizzle-orm';
import type { Queries } from '../queries.ts';
import { sandboxes } from '../schema/sandboxes.ts';
import { sessions } from '../schema/sessions.ts';

export type LaunchHold = { sessionId: string; epoch: number; replicaId: string };

/**
 * Whether the registry says that this replica has nothing more to decide about the start of a sandbox: another one goes on with it, or
 * it has ended. Not so without a row, as of a session that an earlier version inserted, or without an owner.
 */
export async function isLaunchedByAnother({ orm }: Queries, hold: LaunchHold): Promise<boolean> {
  const launched = await orm
    .select({ epoch: sandboxes.epoch })
    .from(sandboxes)
    .where(sql`${sandboxes.sessionId} = ${hold.sessionId} and ${sandboxes.epoch} = ${hold.epoch} and ${notOf(hold)}`);
  return launched.length > 0;
}

/**
 * The same as the condition of another statement. It locks the row, and before it that of the session, as every other statement does:
 * so a replica that is about to go on decides. Without the limit the planner would filter the row as it was before.
 */
export const launchedByAnother = (hold: LaunchHold): SQL => sql`exists (
  select from (
    select ${sandboxes.state}, ${sandboxes.replicaId} from ${sessions}
    join ${sandboxes} on ${sandboxes.sessionId} = ${sessions.id} and ${sandboxes.epoch} = ${hold.epoch}
    where ${sessions.id} = ${hold.sessionId} limit 1 for update
  ) as ${sandboxes}
  where ${notOf(hold)}
)`;

const notOf = ({ replicaId }: LaunchHold): SQL =>
  sql`(${sandboxes.state} <> 'launching' or ${sandboxes.replicaId} <> ${replicaId})`;
