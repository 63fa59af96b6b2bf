import { type NewWorldFile, recordArtifacts } from '../artifacts/record-artifacts.ts';
import type { Queries } from '../queries.ts';

/** A file of the session's world, in place of what lay there. */
export function putWorldFile(db: Queries, { sessionId, ...file }: NewWorldFile & { sessionId: string }): Promise<void> {
  return recordArtifacts(db, { sessionId, artifacts: [], world: { put: [file], remove: [] } });
}
