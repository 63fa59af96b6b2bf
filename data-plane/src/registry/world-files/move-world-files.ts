import { and, eq, sql } from 'drizzle-orm';
import type { Queries } from '../queries.ts';
import { worldFiles } from '../schema/world-files.ts';
import { pathAndBelow } from './path-and-below.ts';

/** Moves the path and everything below it within the session's world, replacing `to`. Does nothing if one path is within the other. */
export async function moveWorldFiles(
  { transaction }: Queries,
  { sessionId, from, to }: { sessionId: string; from: string; to: string },
): Promise<void> {
  if (isWithin(from, to) || isWithin(to, from)) return;
  const ofSession = eq(worldFiles.sessionId, sessionId);
  await transaction(async ({ orm }) => {
    await orm.delete(worldFiles).where(and(ofSession, pathAndBelow(to)));
    await orm
      .update(worldFiles)
      .set({
        path: sql`${to}::text || substr(${worldFiles.path}, ${[...from].length + 1}::int)`,
        updatedAt: sql`now()`,
      })
      .where(and(ofSession, pathAndBelow(from)));
  });
}

const isWithin = (path: string, directory: string) => directory === '' || `${path}/`.startsWith(`${directory}/`);
