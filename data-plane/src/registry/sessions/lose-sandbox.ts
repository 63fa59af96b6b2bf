import { type LossReason, storable } from '@holdfast/specs/public';
import { and, eq, inArray, not } from 'drizzle-orm';
import { boundStatuses } from '../budgets/bound-statuses.ts';
import { fromNow, now } from '../clock.ts';
import type { Queries } from '../queries.ts';
import { unheardFor } from '../routes/unheard-for.ts';
import { sandboxes } from '../schema/sandboxes.ts';
import { type SessionRow, sessions } from '../schema/sessions.ts';
import { type Hold, heldByAnother } from '../steps/held-by-another.ts';
import { removalSecondsMax } from './end-session.ts';

type LoseInput = {
  id: string;
  epoch: number;
  because: { reason: LossReason; message?: string | undefined };
  replicaId: string;
  /** As in `endSession`. */
  ifFollowed?: Hold | undefined;
  ifUnheardSeconds?: number | undefined;
};

/** Makes a session that waits for its host `lost`, with its sandbox to be removed. Null if it is not active in this epoch, or does not wait. */
export async function loseSandbox(
  { orm }: Queries,
  { id, epoch, because: { reason, message }, replicaId, ifFollowed, ifUnheardSeconds: seconds }: LoseInput,
): Promise<SessionRow | null> {
  const lost = orm.$with('lost').as(
    orm
      .update(sessions)
      .set({
        status: 'lost',
        lostReason: reason,
        lostMessage: message === undefined ? null : storable(message, 1000),
        updatedAt: now,
        nextCheckAt: now,
      })
      .where(
        and(
          eq(sessions.id, id),
          eq(sessions.epoch, epoch),
          inArray(sessions.status, boundStatuses),
          eq(sessions.recovery, 'manual'),
          ifFollowed && not(heldByAnother(ifFollowed)),
          seconds === undefined ? undefined : unheardFor({ id, epoch, seconds }),
        ),
      )
      .returning(),
  );
  const fencing = orm.$with('fencing').as(
    orm
      .update(sandboxes)
      .set({ state: 'fencing', replicaId, deadlineAt: fromNow(removalSecondsMax) })
      .from(lost)
      .where(and(eq(sandboxes.sessionId, lost.id), inArray(sandboxes.state, ['launching', 'bound'])))
      .returning({ epoch: sandboxes.epoch }),
  );
  const [session] = await orm.with(lost, fencing).select().from(lost);
  return session ?? null;
}
