import { and, eq } from 'drizzle-orm';
import type { Database } from '../connect.ts';
import { type SessionRow, sessions } from '../schema.ts';

/** With `tenant`, the result is null for a session of another tenant, too. */
export async function findSession(
  { orm }: Pick<Database, 'orm'>,
  { id, tenant }: { id: string; tenant?: string | undefined },
): Promise<SessionRow | null> {
  const [session] = await orm
    .select()
    .from(sessions)
    .where(and(eq(sessions.id, id), tenant === undefined ? undefined : eq(sessions.tenant, tenant)));
  return session ?? null;
}
