import { and, eq, isNotNull, sql } from 'drizzle-orm';
import { now } from '../clock.ts';
import type { Database } from '../connect.ts';
import { type SessionRow, sessions } from '../schema.ts';

/** Marks an ended session for deletion, which follows once its sandbox is gone; null if the tenant has no ended session of this id. */
export async function requestDeletion(
  { orm }: Pick<Database, 'orm'>,
  { id, tenant }: { id: string; tenant: string },
): Promise<SessionRow | null> {
  const [session] = await orm
    .update(sessions)
    .set({ deleteRequestedAt: sql`coalesce(${sessions.deleteRequestedAt}, now())`, nextLookAt: now })
    .where(and(eq(sessions.id, id), eq(sessions.tenant, tenant), isNotNull(sessions.endedAt)))
    .returning();
  return session ?? null;
}
