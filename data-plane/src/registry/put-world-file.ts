import type { Database } from './connect.ts';
import { type NewWorldFile, recordArtifacts } from './record-artifacts.ts';

/** A file of the session's world, in place of what lay there. */
export function putWorldFile(
  db: Pick<Database, 'sql'>,
  { sessionId, ...file }: NewWorldFile & { sessionId: string },
): Promise<void> {
  return recordArtifacts(db, { sessionId, artifacts: [], world: { put: [file], remove: [] } });
}
