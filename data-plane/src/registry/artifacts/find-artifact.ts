import { and, eq } from 'drizzle-orm';
import type { Queries } from '../queries.ts';
import { type ArtifactRow, artifacts } from '../schema/artifacts.ts';

export async function findArtifact(
  { orm }: Queries,
  { sessionId, id }: { sessionId: string; id: string },
): Promise<ArtifactRow | null> {
  const [artifact] = await orm
    .select()
    .from(artifacts)
    .where(and(eq(artifacts.id, id), eq(artifacts.sessionId, sessionId)));
  return artifact ?? null;
}
