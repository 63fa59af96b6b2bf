import { and, eq } from 'drizzle-orm';
import { atOrBelow } from './at-or-below.ts';
import type { Database } from './connect.ts';
import { worldFiles } from './schema.ts';

/** Takes the path and all below it out of the session's world. */
export async function removeWorldFiles(
  { orm }: Pick<Database, 'orm'>,
  { sessionId, path }: { sessionId: string; path: string },
): Promise<void> {
  await orm.delete(worldFiles).where(and(eq(worldFiles.sessionId, sessionId), atOrBelow(path)));
}
