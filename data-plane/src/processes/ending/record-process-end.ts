import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../../registry/connect.ts';
import { isRowImpossible } from '../../registry/database-error.ts';
import { endProcess } from '../../registry/processes/end-process.ts';
import { findProcess } from '../../registry/processes/find-process.ts';
import type { ProcessRow } from '../../registry/schema/processes.ts';
import { type EndOfProcess, lostProcess } from './process-end.ts';

type Recording = {
  row: Pick<ProcessRow, 'id' | 'sessionId'>;
  replicaId: string;
  end: EndOfProcess;
  /** When the end was seen, by performance.now. */
  seenAtMs: number;
};

const retryMs = 500;

/**
 * Records the end of a process, and returns the row that the registry then has: only that may be told. Asks until the database answers, because a true
 * end is never thrown away.
 * @returns null: the registry has no row of it any more; `unfinished`: another replica follows it, and this one could only guess
 */
export async function recordProcessEnd(
  { db }: { db: Database },
  { row: { id, sessionId }, replicaId, end, seenAtMs }: Recording,
): Promise<ProcessRow | 'unfinished' | null> {
  let given = end;
  for (;;) {
    try {
      await endProcess(db, { ...given, id, replicaId, endedMsAgo: performance.now() - seenAtMs });
      const found = await findProcess(db, { sessionId, processId: id });
      return found && !found.finishedAt ? 'unfinished' : found;
    } catch (error) {
      if (isRowImpossible(error) && given === end) given = lostProcess('result_refused');
      else await delay(retryMs);
    }
  }
}
