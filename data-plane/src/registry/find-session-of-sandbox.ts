import { eq } from 'drizzle-orm';
import type { Database } from './connect.ts';
import { sessionRoutes } from './schema.ts';

/** The session whose route leads to this incarnation, or null. */
export async function findSessionOfSandbox(
  { orm }: Pick<Database, 'orm'>,
  { uid }: { uid: string },
): Promise<string | null> {
  const { sessionId, sandboxUid } = sessionRoutes;
  const [route] = await orm.select({ sessionId }).from(sessionRoutes).where(eq(sandboxUid, uid));
  return route?.sessionId ?? null;
}
