import type { Page, ProcessStatus, ProcessSummary } from '@holdfast/specs/public';
import { listProcesses as listRows } from '../registry/processes/list-processes.ts';
import type { Caller } from '../sessions/caller.ts';
import { existingSession } from '../sessions/existing-session.ts';
import { asFollowed, type FindDependencies } from './find-known-process.ts';
import { processSummary } from './process-view.ts';

type ListInput = {
  caller: Caller;
  sessionId: string;
  limit: number;
  cursor?: string | undefined;
  status?: ProcessStatus | undefined;
};

/**
 * The processes of a session in the order of their admission, without their output.
 * @throws Problem 404, 410 (deleted session)
 */
export async function listProcesses(
  { db, liveProcesses }: FindDependencies,
  { caller, sessionId, ...page }: ListInput,
): Promise<Page<ProcessSummary>> {
  await existingSession(db, { id: sessionId, tenant: caller.tenant });
  const { items, nextCursor } = await listRows(db, { sessionId, ...page });
  return { items: items.map((row) => processSummary(asFollowed({ liveProcesses }, row))), nextCursor };
}
