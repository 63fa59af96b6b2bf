import type { ArtifactRole } from '@holdfast/specs/public';
import { and, eq, inArray } from 'drizzle-orm';
import type { Queries } from '../queries.ts';
import { type ArtifactRow, artifacts } from '../schema/artifacts.ts';

type FindArtifactByPathInput = { sessionId: string; stepId: string; path: string; roles: readonly ArtifactRole[] };

/** The step's artifact at this path, in the first of the roles that has one. */
export async function findArtifactByPath(
  { orm }: Queries,
  { sessionId, stepId, path, roles }: FindArtifactByPathInput,
): Promise<ArtifactRow | null> {
  const found = await orm
    .select()
    .from(artifacts)
    .where(
      and(
        eq(artifacts.stepId, stepId),
        eq(artifacts.sessionId, sessionId),
        eq(artifacts.path, path),
        inArray(artifacts.role, [...roles]),
      ),
    );
  return found.toSorted((a, b) => roles.indexOf(a.role) - roles.indexOf(b.role))[0] ?? null;
}
