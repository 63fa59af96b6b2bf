import { and, eq, isNull } from 'drizzle-orm';
import type { Queries } from '../queries.ts';
import { type SessionRow, sessions } from '../schema/sessions.ts';

/** The tenant's session with this key that has not ended. */
export async function findByClientKey(
  { orm }: Queries,
  { tenant, clientKey }: { tenant: string; clientKey: string },
): Promise<SessionRow | null> {
  const [session] = await orm
    .select()
    .from(sessions)
    .where(and(eq(sessions.tenant, tenant), eq(sessions.clientKey, clientKey), isNull(sessions.endedAt)));
  return session ?? null;
}
