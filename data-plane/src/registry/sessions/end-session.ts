import { type EndReason, type SessionStatus, storable } from '@holdfast/specs/public';
import { and, eq, inArray } from 'drizzle-orm';
import { now } from '../clock.ts';
import type { Queries } from '../queries.ts';
import { type SessionRow, sessions } from '../schema/sessions.ts';
import { statusesBefore, type TerminalStatus } from '../status.ts';
import { type Deadline, deadlines } from './due.ts';

type EndSessionInput = {
  id: string;
  tenant?: string | undefined;
  /** Only where this deadline has passed: activity in between keeps the session. */
  ifDue?: Deadline | undefined;
  /** Only where it has this status; by default any from which `to` is reached. */
  from?: SessionStatus | undefined;
  to: TerminalStatus;
  reason: EndReason;
  /** The cause in the runtime's own words. */
  message?: string | undefined;
};

/** The ended session, or null where none can end so: unknown, of another tenant, not due, or ended already. */
export async function endSession(
  { orm }: Queries,
  { id, tenant, ifDue, from, to, reason, message }: EndSessionInput,
): Promise<SessionRow | null> {
  const [session] = await orm
    .update(sessions)
    .set({
      status: to,
      endReason: reason,
      endMessage: message === undefined ? null : storable(message, 1000),
      endedAt: now,
      updatedAt: now,
      // Its sandbox is to be swept now, also where the session was looked at a moment ago.
      nextCheckAt: now,
    })
    .where(
      and(
        eq(sessions.id, id),
        tenant === undefined ? undefined : eq(sessions.tenant, tenant),
        inArray(sessions.status, statusesBefore(to)),
        from === undefined ? undefined : eq(sessions.status, from),
        ifDue && deadlines[ifDue],
      ),
    )
    .returning();
  return session ?? null;
}
