import { type NewWorldFile, recordArtifacts } from '../artifacts/record-artifacts.ts';
import type { Queries } from '../queries.ts';

/** Puts a file into the session's world, replacing anything at its path. */
export function putWorldFile(db: Queries, { sessionId, ...file }: NewWorldFile & { sessionId: string }): Promise<void> {
  return recordArtifacts(db, { sessionId, artifacts: [], world: { put: [file], remove: [] } });
}
