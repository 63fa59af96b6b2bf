import type { Page } from '@holdfast/specs/public';
import { and, asc, eq, sql } from 'drizzle-orm';
import { decodeTimeCursor, timePage } from '../cursor.ts';
import type { Queries } from '../queries.ts';
import { type ArtifactRow, artifacts } from '../schema/artifacts.ts';

type ListArtifactsInput = {
  sessionId: string;
  stepId?: string | undefined;
  limit: number;
  cursor?: string | undefined;
};

/**
 * Oldest first.
 * @throws Problem `invalid-request` if the cursor is invalid.
 */
export async function listArtifacts(
  { orm }: Queries,
  { sessionId, stepId, limit, cursor }: ListArtifactsInput,
): Promise<Page<ArtifactRow>> {
  const rows = await orm
    .select()
    .from(artifacts)
    .where(
      and(eq(artifacts.sessionId, sessionId), stepId ? eq(artifacts.stepId, stepId) : undefined, newerThan(cursor)),
    )
    .orderBy(asc(artifacts.createdAt), asc(artifacts.id))
    .limit(limit + 1);
  return timePage(rows, limit);
}

function newerThan(cursor: string | undefined) {
  if (cursor === undefined) return undefined;
  const { at, id } = decodeTimeCursor(cursor);
  return sql`(${artifacts.createdAt}, ${artifacts.id}) > (${at.toISOString()}::timestamptz, ${id})`;
}
