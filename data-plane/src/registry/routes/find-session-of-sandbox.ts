import { eq } from 'drizzle-orm';
import type { Queries } from '../queries.ts';
import { sessionRoutes } from '../schema/session-routes.ts';

/** The session with a route to the sandbox with this uid, or null. */
export async function findSessionOfSandbox({ orm }: Queries, { uid }: { uid: string }): Promise<string | null> {
  const { sessionId, sandboxUid } = sessionRoutes;
  const [route] = await orm.select({ sessionId }).from(sessionRoutes).where(eq(sandboxUid, uid));
  return route?.sessionId ?? null;
}
