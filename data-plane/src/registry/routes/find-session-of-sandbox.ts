import { eq } from 'drizzle-orm';
import type { Database } from '../connect.ts';
import { sessionOperations } from '../schema.ts';

/** The session whose route leads to this incarnation, or null. */
export async function findSessionOfSandbox(
  { orm }: Pick<Database, 'orm'>,
  { uid }: { uid: string },
): Promise<string | null> {
  const { sessionId, sandboxUid } = sessionOperations;
  const [route] = await orm.select({ sessionId }).from(sessionOperations).where(eq(sandboxUid, uid));
  return route?.sessionId ?? null;
}
