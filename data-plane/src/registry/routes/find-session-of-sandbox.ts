import { eq } from 'drizzle-orm';
import type { Queries } from '../queries.ts';
import { sessionOperations } from '../schema.ts';

/** The session whose route leads to this incarnation, or null. */
export async function findSessionOfSandbox({ orm }: Queries, { uid }: { uid: string }): Promise<string | null> {
  const { sessionId, sandboxUid } = sessionOperations;
  const [route] = await orm.select({ sessionId }).from(sessionOperations).where(eq(sandboxUid, uid));
  return route?.sessionId ?? null;
}
