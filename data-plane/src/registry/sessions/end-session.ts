import { type EndReason, type SessionStatus, storable } from '@holdfast/specs/public';
import { and, eq, inArray, not } from 'drizzle-orm';
import { type Change, changedBy } from '../audit/changed-by.ts';
import { fromNow, now } from '../clock.ts';
import { statusOfClosed } from '../proposals/decide-changes.ts';
import type { Queries } from '../queries.ts';
import { unheardFor } from '../routes/unheard-for.ts';
import { type LaunchHold, launchedByAnother } from '../sandboxes/launched-by-another.ts';
import { proposalChanges, proposals } from '../schema/proposals.ts';
import { type SandboxState, sandboxes } from '../schema/sandboxes.ts';
import { type SessionRow, sessions } from '../schema/sessions.ts';
import { type Hold, heldByAnother } from '../steps/held-by-another.ts';
import { type Deadline, deadlineConditions } from './deadline-conditions.ts';
import { type EndedStatus, liveStatuses } from './live-statuses.ts';

type EndSessionInput = {
  id: string;
  tenant?: string | undefined;
  /** The sandbox that the caller saw, by its epoch. `any` ends the session whichever sandbox it has by now. */
  epoch: number | 'any';
  /** Ends the session only if this deadline has passed, so that activity in between prevents the end. */
  ifPassed?: Deadline | undefined;
  /** Ends the session only if this replica still follows this step: if another one does, or the step has ended, that one knows more. */
  ifFollowed?: Hold | undefined;
  /** Ends the session only if this replica still starts this sandbox: if another one has resumed the start, that one goes on. */
  ifLaunching?: LaunchHold | undefined;
  /** Ends the session only if no replica has heard for so long from the agent of this epoch. */
  ifUnheardSeconds?: number | undefined;
  /** Ends the session only from this status; by default from any live one. */
  from?: SessionStatus | undefined;
  to: EndedStatus;
  reason: EndReason;
  /** The cause in the runtime's own words. */
  message?: string | undefined;
  change?: Change | undefined;
  /** The replica that removes the sandbox; without one, the first that finds the session due. */
  replicaId?: string | undefined;
};

/** As long as a removal may take. Then another replica begins it too. */
export const removalSecondsMax = 45;

const statesInUse = ['launching', 'bound'] as const satisfies readonly SandboxState[];

/** Ends a session, whose sandboxes are then to be fenced and removed, and rolls back its open proposals. Returns null if it is unknown, of another tenant or epoch, not due, not ours to end, or ended already. */
export async function endSession(
  { orm }: Queries,
  { id, tenant, epoch, ifPassed, ifFollowed, ifLaunching, ifUnheardSeconds: seconds, ...ending }: EndSessionInput,
): Promise<SessionRow | null> {
  const { from, to, reason, message, change, replicaId } = ending;
  const ended = orm.$with('ended').as(
    orm
      .update(sessions)
      .set({
        status: to,
        endReason: reason,
        changedBy: changedBy(change),
        endMessage: message === undefined ? null : storable(message, 1000),
        endedAt: now,
        updatedAt: now,
        // The sandbox is to be removed now, even if the session was checked a moment ago.
        nextCheckAt: now,
      })
      .where(
        and(
          eq(sessions.id, id),
          tenant === undefined ? undefined : eq(sessions.tenant, tenant),
          epoch === 'any' ? undefined : eq(sessions.epoch, epoch),
          inArray(sessions.status, from === undefined ? liveStatuses : [from]),
          ifPassed && deadlineConditions[ifPassed],
          ifFollowed && not(heldByAnother(ifFollowed)),
          ifLaunching && not(launchedByAnother(ifLaunching)),
          seconds === undefined || epoch === 'any' ? undefined : unheardFor({ id, epoch, seconds }),
        ),
      )
      .returning(),
  );
  const fencing = orm.$with('fencing').as(
    orm
      .update(sandboxes)
      .set({ state: 'fencing', replicaId: replicaId ?? null, deadlineAt: fromNow(removalSecondsMax) })
      .from(ended)
      .where(and(eq(sandboxes.sessionId, ended.id), inArray(sandboxes.state, statesInUse)))
      .returning({ epoch: sandboxes.epoch }),
  );
  const rolledBack = orm.$with('rolled_back').as(
    orm
      .update(proposalChanges)
      .set({ status: 'rolled_back' })
      .from(ended)
      .where(and(eq(proposalChanges.sessionId, ended.id), eq(proposalChanges.status, 'open')))
      .returning({ path: proposalChanges.path }),
  );
  const closed = orm.$with('closed').as(
    orm
      .update(proposals)
      .set({ status: statusOfClosed('rolled_back'), decidedAt: now, decidedBy: 'system' })
      .from(ended)
      .where(and(eq(proposals.sessionId, ended.id), eq(proposals.status, 'open')))
      .returning({ id: proposals.id }),
  );
  const [session] = await orm.with(ended, fencing, rolledBack, closed).select().from(ended);
  return session ?? null;
}
