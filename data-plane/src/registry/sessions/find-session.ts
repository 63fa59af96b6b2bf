import { and, eq } from 'drizzle-orm';
import type { Queries } from '../queries.ts';
import { type SessionRow, sessions } from '../schema/sessions.ts';

/** With `tenant`, the result is null for a session of another tenant, too. */
export async function findSession(
  { orm }: Queries,
  { id, tenant }: { id: string; tenant?: string | undefined },
): Promise<SessionRow | null> {
  const [session] = await orm
    .select()
    .from(sessions)
    .where(and(eq(sessions.id, id), tenant === undefined ? undefined : eq(sessions.tenant, tenant)));
  return session ?? null;
}
