import { and, eq, isNull, sql } from 'drizzle-orm';
import { fromNow } from '../clock.ts';
import type { Queries } from '../queries.ts';
import { type PortRow, ports } from '../schema/ports.ts';
import { type SessionRow, sessions } from '../schema/sessions.ts';
import { isOpen } from './is-open.ts';

type NewPort = Pick<PortRow, 'id' | 'sessionId' | 'port' | 'access'> & {
  expiresSeconds: number;
  openMax: number;
  /** Throws if the session opens no port now. */
  admit(session: SessionRow): void;
};

/**
 * Opens a port of a session unless `openMax` are open, or finds the one that has this id. In a transaction: the lock on the session's row makes
 * the count exact, and keeps the status that `admit` has looked at.
 */
export async function insertPort(
  { orm }: Queries,
  { expiresSeconds, openMax, admit, ...port }: NewPort,
): Promise<{ port: PortRow; isNew: boolean } | 'session-deleted' | 'too-many'> {
  const [session] = await orm
    .select()
    .from(sessions)
    .where(and(eq(sessions.id, port.sessionId), isNull(sessions.deleteRequestedAt)))
    .for('no key update');
  if (!session) return 'session-deleted';
  const [known] = await orm.select().from(ports).where(eq(ports.id, port.id));
  if (known) return { port: known, isNew: false };
  admit(session);
  const [counted] = await orm
    .select({ open: sql<number>`count(*)::int` })
    .from(ports)
    .where(and(eq(ports.sessionId, port.sessionId), isOpen));
  if ((counted?.open ?? 0) >= openMax) return 'too-many';
  const [inserted] = await orm
    .insert(ports)
    .values({ ...port, expiresAt: fromNow(expiresSeconds) })
    .returning();
  if (!inserted) throw new Error(`port ${port.id} was not inserted`);
  return { port: inserted, isNew: true };
}
