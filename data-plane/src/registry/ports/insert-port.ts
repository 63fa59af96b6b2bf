import { and, eq, isNull, sql } from 'drizzle-orm';
import { fromNow } from '../clock.ts';
import type { Queries } from '../queries.ts';
import { type PortRow, ports } from '../schema/ports.ts';
import { sessions } from '../schema/sessions.ts';
import { isOpen } from './is-open.ts';

type NewPort = Pick<PortRow, 'id' | 'sessionId' | 'port' | 'access'> & { expiresSeconds: number; openMax: number };

/**
 * Opens a port of a session that has not ended, unless `openMax` are open, or finds the one that has this id. In a transaction: the lock on
 * the session's row makes the count exact.
 */
export async function insertPort(
  { orm }: Queries,
  { expiresSeconds, openMax, ...port }: NewPort,
): Promise<{ port: PortRow; isNew: boolean } | 'session-ended' | 'too-many'> {
  const [session] = await orm
    .select({ id: sessions.id })
    .from(sessions)
    .where(and(eq(sessions.id, port.sessionId), isNull(sessions.endedAt), isNull(sessions.deleteRequestedAt)))
    .for('no key update');
  if (!session) return 'session-ended';
  const [known] = await orm.select().from(ports).where(eq(ports.id, port.id));
  if (known) return { port: known, isNew: false };
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
