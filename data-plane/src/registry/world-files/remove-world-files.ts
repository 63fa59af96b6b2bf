import { and, eq } from 'drizzle-orm';
import type { Queries } from '../queries.ts';
import { worldFiles } from '../schema/world-files.ts';
import { pathAndBelow } from './path-and-below.ts';

/** Removes the path and everything below it from the session's world. */
export async function removeWorldFiles(
  { orm }: Queries,
  { sessionId, path }: { sessionId: string; path: string },
): Promise<void> {
  await orm.delete(worldFiles).where(and(eq(worldFiles.sessionId, sessionId), pathAndBelow(path)));
}
