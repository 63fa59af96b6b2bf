import { type NewWorldFile, recordArtifacts } from '../artifacts/record-artifacts.ts';
import type { Database } from '../connect.ts';

/** A file of the session's world, in place of what lay there. */
export function putWorldFile(
  db: Pick<Database, 'sql'>,
  { sessionId, ...file }: NewWorldFile & { sessionId: string },
): Promise<void> {
  return recordArtifacts(db, { sessionId, artifacts: [], world: { put: [file], remove: [] } });
}
