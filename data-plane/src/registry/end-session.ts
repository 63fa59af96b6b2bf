import type { EndReason } from '@holdfast/specs';
import { and, eq, inArray } from 'drizzle-orm';
import { now } from './clock.ts';
import type { Database } from './connect.ts';
import { type SessionRow, sessions } from './schema.ts';
import { statusesBefore, type TerminalStatus } from './status.ts';

type EndSessionInput = {
  id: string;
  tenant?: string | undefined;
  /** Only in this life of the sandbox. */
  epoch?: number | undefined;
  to: TerminalStatus;
  reason: EndReason;
  /** The cause in the runtime's own words. */
  message?: string | undefined;
};

/** The ended session, or null where none can end so: unknown, of another tenant or epoch, or ended already. */
export async function endSession(
  { orm }: Pick<Database, 'orm'>,
  { id, tenant, epoch, to, reason, message }: EndSessionInput,
): Promise<SessionRow | null> {
  const [session] = await orm
    .update(sessions)
    .set({
      status: to,
      endReason: reason,
      endMessage: message ?? null,
      endedAt: now,
      updatedAt: now,
      // Its sandbox is to be swept now, also where the session was looked at a moment ago.
      nextLookAt: now,
    })
    .where(
      and(
        eq(sessions.id, id),
        tenant === undefined ? undefined : eq(sessions.tenant, tenant),
        epoch === undefined ? undefined : eq(sessions.epoch, epoch),
        inArray(sessions.status, statusesBefore(to)),
      ),
    )
    .returning();
  return session ?? null;
}
