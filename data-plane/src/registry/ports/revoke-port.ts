import { and, eq, sql } from 'drizzle-orm';
import { now } from '../clock.ts';
import type { Queries } from '../queries.ts';
import { type PortRow, ports } from '../schema/ports.ts';

type Revoked = { result: 'revoked'; port: PortRow } | { result: 'was-revoked' | 'not-found' };

/** Closes a port. Closing it again leaves the time of the first revocation. `not-found`: the session has no such port. */
export async function revokePort(
  { orm }: Queries,
  { id, sessionId }: { id: string; sessionId: string },
): Promise<Revoked> {
  const key = and(eq(ports.id, id), eq(ports.sessionId, sessionId));
  const [port] = await orm
    .update(ports)
    .set({ revokedAt: now })
    .where(and(key, sql`${ports.revokedAt} is null`))
    .returning();
  if (port) return { result: 'revoked', port };
  const known = await orm.select({ id: ports.id }).from(ports).where(key);
  return { result: known.length > 0 ? 'was-revoked' : 'not-found' };
}
