import { type LossReason, type SessionStatus, storable } from '@holdfast/specs/public';
import { inArray, sql } from 'drizzle-orm';
import { type Change, changedBy } from '../audit/changed-by.ts';
import { boundStatuses } from '../budgets/bound-statuses.ts';
import { columnsOf } from '../columns-of.ts';
import type { Queries } from '../queries.ts';
import { unheardFor } from '../routes/unheard-for.ts';
import { type LaunchHold, launchedByAnother } from '../sandboxes/launched-by-another.ts';
import { sandboxes } from '../schema/sandboxes.ts';
import { type SessionRow, sessions } from '../schema/sessions.ts';
import { type Hold, heldByAnother } from '../steps/held-by-another.ts';
import { removalSecondsMax } from './end-session.ts';
import { isInPause } from './pause-session.ts';

type BeginRecoveryInput = {
  id: string;
  /** The epoch of the sandbox that is lost. */
  epoch: number;
  /** `active` stands for any session that has its sandbox. */
  from: SessionStatus;
  change?: Change | undefined;
  /** Begins only if the session recovers by itself. */
  isAutomatic: boolean;
  /** The name under which the next sandbox is launched. */
  sandboxName: string;
  replicaId: string;
  /** Seconds until another replica begins anew. */
  startSeconds: number;
  /** Attempts in a row, this one included. */
  attemptsMax: number;
  /** Why the sandbox is lost; without it, the reason that is recorded already stays. */
  because?: { reason: LossReason; message?: string | undefined } | undefined;
  /** As in `endSession`. */
  ifFollowed?: Hold | undefined;
  ifLaunching?: LaunchHold | undefined;
  ifUnheardSeconds?: number | undefined;
  /** Begins only if the session is in the pause with this deadline. */
  ifPausing?: Date | undefined;
};

/**
 * Moves a session on to its next epoch, in which it waits for a sandbox, as `resuming` if it was paused: the sandboxes of earlier epochs are to be removed, and nothing that
 * they still say counts.
 * @returns null if the session is not as described, or all attempts are used up
 */
export async function beginRecovery(
  { orm }: Queries,
  {
    id,
    epoch,
    from,
    isAutomatic,
    replicaId,
    because,
    ifFollowed,
    ifLaunching,
    ifUnheardSeconds: seconds,
    ifPausing,
    ...input
  }: BeginRecoveryInput,
): Promise<SessionRow | null> {
  const [recovering] = await orm.execute<SessionRow>(sql`
    with recovering as (
      update ${sessions} set
        status = ${from === 'paused' || from === 'resuming' ? 'resuming' : 'recovering'}, epoch = epoch + 1, recovery_attempts = recovery_attempts + 1,
        network = case when policy #>> '{execution,allowNetworkCalls}' = 'false' then 'none' else network end,
        changed_by = ${changedBy(input.change)},
        lost_reason = coalesce(${because?.reason ?? null}, lost_reason),
        lost_message = case when ${because !== undefined}::boolean then ${storableOrNull(because?.message)} else lost_message end,
        start_deadline_at = now() + ${input.startSeconds}::float8 * interval '1 second',
        updated_at = date_trunc('milliseconds', now()), next_look_at = now()
      where ${sessions.id} = ${id} and ${sessions.epoch} = ${epoch} and ${inArray(sessions.status, from === 'active' ? boundStatuses : [from])}
        and ${sessions.recoveryAttempts} < ${input.attemptsMax}
        and (${!isAutomatic}::boolean or ${sessions.recovery} = 'auto')
        and not (${ifFollowed ? heldByAnother(ifFollowed) : sql`false`})
        and not (${ifLaunching ? launchedByAnother(ifLaunching) : sql`false`})
        and (${seconds === undefined ? sql`true` : unheardFor({ id, epoch, seconds })})
        and (${ifPausing ? isInPause(ifPausing) : sql`true`})
      returning *
    ), fencing as (
      update ${sandboxes} set
        state = 'fencing', replica_id = ${replicaId}, deadline_at = now() + ${removalSecondsMax} * interval '1 second'
      from recovering
      where sandboxes.session_id = recovering.id and sandboxes.epoch < recovering.epoch and sandboxes.state in ('launching', 'bound')
    ), launching as (
      insert into sandboxes (session_id, epoch, name, state, replica_id, deadline_at)
      select id, epoch, ${input.sandboxName}, 'launching', ${replicaId}, start_deadline_at from recovering
    )
    select ${sql.raw(columns)} from recovering`);
  return recovering ?? null;
}

const storableOrNull = (message: string | undefined) => (message === undefined ? null : storable(message, 1000));

const columns = columnsOf(sessions);
