import { setTimeout as delay } from 'node:timers/promises';
import { newId } from '@holdfast/specs/public';
import { type NewAuditEntry, recordAudit } from '../../registry/audit/record-audit.ts';
import type { Database } from '../../registry/connect.ts';
import { databaseUnavailable } from '../../registry/database-error.ts';
import { insertSnapshot, type NewSnapshot } from '../../registry/snapshots/insert-snapshot.ts';
import { changedJustNow } from '../existing-session.ts';
import { reserveContextEpoch } from '../reserve-context-epoch.ts';
import type { Route } from '../sandbox-routes.ts';

export type RecordLoadedDependencies = {
  db: Database;
  background(work: Promise<unknown>): void;
  isDraining(): boolean;
};

/** The state with which a kernel has begun; without a content it has none. */
type Loaded = { route: Route; entry: NewAuditEntry } & Pick<NewSnapshot, 'contextId' | 'language' | 'contextEpoch'> &
  Pick<NewSnapshot, 'sha256' | 'size' | 'manifest'>;

const retryMs = 200;

/**
 * Records that a context has another state than before, from which the next recovery starts. The sandbox has it already. So while the database is away this
 * goes on in the background: otherwise a later recovery would bring the earlier state back, and run the steps after it on that one.
 * @throws AgentError as `reserveContextEpoch` does; Problem 503 if the session has lost this sandbox; the database's error
 */
export async function recordLoadedState(deps: RecordLoadedDependencies, loaded: Loaded): Promise<void> {
  const snapshot = newSnapshot(loaded);
  try {
    await record(deps, loaded, snapshot);
  } catch (error) {
    if (databaseUnavailable(error)) deps.background(recordWithPatience(deps, loaded, snapshot));
    throw error;
  }
}

function newSnapshot({ route, entry: _entry, ...state }: Loaded): NewSnapshot {
  const { sessionId, epoch } = route;
  return { id: newId('snp'), sessionId, epoch, origin: 'base', executionCount: 0, silentCount: 0, ...state };
}

async function record(
  deps: RecordLoadedDependencies,
  { route, contextEpoch, entry }: Loaded,
  snapshot: NewSnapshot,
): Promise<void> {
  await reserveContextEpoch(deps, { route, contextEpoch });
  const inserted = await deps.db.transaction(async (tx) => {
    const recorded = await insertSnapshot(tx, snapshot);
    if (recorded) await recordAudit(tx, entry);
    return recorded;
  });
  if (!inserted) throw changedJustNow(route.sessionId);
}

async function recordWithPatience(
  deps: RecordLoadedDependencies,
  loaded: Loaded,
  snapshot: NewSnapshot,
): Promise<void> {
  while (!deps.isDraining()) {
    await delay(retryMs);
    try {
      return await record(deps, loaded, snapshot);
    } catch (error) {
      // The session has lost this sandbox, and the state with it.
      if (!databaseUnavailable(error)) return;
    }
  }
}
