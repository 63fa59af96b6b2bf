import type { ArtifactRole } from '@holdfast/specs/public';
import { listArtifacts } from '../registry/artifacts/list-artifacts.ts';
import type { Database } from '../registry/connect.ts';
import { type ArtifactContent, artifactContent } from './artifact-view.ts';

type Recorded = { sessionId: string; stepId: string; role: ArtifactRole };

const pageSize = 1000;

/** All artifacts of a step in one role, as its events contain them. */
export async function findRecordedArtifacts(
  db: Database,
  { sessionId, stepId, role }: Recorded,
): Promise<ArtifactContent[]> {
  const contents: ArtifactContent[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await listArtifacts(db, { sessionId, stepId, limit: pageSize, cursor });
    for (const { sha256, ...row } of page.items) {
      if (row.role !== role) continue;
      contents.push(artifactContent(sessionId, { ...row, sha256: sha256?.toString('hex') ?? null }));
    }
    if (page.nextCursor === null) return contents;
    cursor = page.nextCursor;
  }
}
