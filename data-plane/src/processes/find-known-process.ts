import { Problem } from '@holdfast/specs/public';
import type { Database } from '../registry/connect.ts';
import { findProcess } from '../registry/processes/find-process.ts';
import type { ProcessRow } from '../registry/schema/processes.ts';
import type { Caller } from '../sessions/caller.ts';
import { existingSession } from '../sessions/existing-session.ts';
import type { LiveProcess } from './ending/live-process.ts';

export type ProcessKey = { caller: Caller; sessionId: string; processId: string };

export type FindDependencies = { db: Database; liveProcesses: ReadonlyMap<string, LiveProcess> };

/**
 * The row of a process, with what this replica knows of one that it follows.
 * @throws Problem 404, 410 (deleted session)
 */
export async function findKnownProcess(
  { db, liveProcesses }: FindDependencies,
  { caller, sessionId, processId }: ProcessKey,
): Promise<ProcessRow> {
  await existingSession(db, { id: sessionId, tenant: caller.tenant });
  const row = await findProcess(db, { sessionId, processId });
  if (!row) throw new Problem('not-found', { detail: `process ${processId} does not exist in this session` });
  return asFollowed({ liveProcesses }, row);
}

/** The row with what this replica knows of its process, if it follows it. Any replica may have given the terminal another size. */
export function asFollowed<Row extends Omit<ProcessRow, 'log'>>(
  { liveProcesses }: Pick<FindDependencies, 'liveProcesses'>,
  row: Row,
): Row {
  const live = row.finishedAt ? undefined : liveProcesses.get(row.id);
  return live ? { ...row, ...live.row, terminal: row.terminal } : row;
}
