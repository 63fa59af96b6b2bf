import { Problem, type Restored } from '@holdfast/specs/public';
import type { Seal } from '../keys/seal.ts';
import { entryOf } from '../policy/audit/asked-by.ts';
import { findContext } from '../registry/contexts/find-context.ts';
import { type ExplainDependencies, explainFailedCall } from '../sessions/agent-problem.ts';
import type { Caller } from '../sessions/caller.ts';
import { type PolicyDependencies, routeFor } from '../sessions/policy/under-policy.ts';
import { type RecordLoadedDependencies, recordLoadedState } from '../sessions/recover/record-loaded-state.ts';
import type { Routes } from '../sessions/sandbox-routes.ts';
import { type RoomDependencies, refuseBeyondRoom } from '../sessions/start/refuse-beyond-room.ts';
import { contextSettings } from '../state/context-settings.ts';
import { isDamaged, type LoadDependencies, loadContext } from '../state/load-context.ts';
import { usableSnapshot } from '../state/usable-snapshot.ts';

export type RestoreSnapshotDependencies = LoadDependencies &
  ExplainDependencies &
  RecordLoadedDependencies &
  PolicyDependencies &
  RoomDependencies & { seal: Pick<Seal, 'open'>; routes: Pick<Routes, 'resolve' | 'refresh'> };

type RestoreInput = { caller: Caller; sessionId: string; snapshotId: string };

/**
 * Gives a context the state of a snapshot instead of its own: the context that the snapshot was taken of, or the default context of the
 * language if it was taken in another session.
 * @throws Problem 404, 409 while the context runs a step, 410, 422, 502, 503, 507. If the snapshot is broken, the context keeps its state
 */
export async function restoreSnapshot(
  deps: RestoreSnapshotDependencies,
  { caller, sessionId, snapshotId }: RestoreInput,
): Promise<Restored> {
  const key = { sessionId, tenant: caller.tenant };
  const resolved = await deps.routes.resolve(key);
  const snapshot = await usableSnapshot(deps, { ref: snapshotId, tenant: caller.tenant });
  const { language, size, manifest } = snapshot;
  const route = await routeFor(deps, { caller, route: resolved, language, operation: 'snapshot.restore' });
  const contextId = snapshot.sessionId === sessionId ? snapshot.contextId : language;
  const sha256 = snapshot.sha256.toString('hex');
  if (snapshot.sessionId !== sessionId) await refuseBeyondRoom(deps, { ...key, bytes: size });
  const row = await findContext(deps.db, { sessionId, contextId });
  const settings = await contextSettings(deps.seal, row);
  const state = { contextId, language, settings, sha256, steps: [], isAllKnown: true };
  const signal = AbortSignal.timeout(deps.snapshots.timeoutMs * 2);
  const restored = await loadContext(deps, { route, state, signal }).catch(async (error) => {
    if (isDamaged(error)) {
      throw new Problem('snapshot-refused', { detail: `snapshot ${snapshotId} is damaged`, cause: error });
    }
    throw await explainFailedCall(deps, { key, error });
  });
  const { contextEpoch } = restored;
  const entry = entryOf(caller, sessionId, { operation: 'snapshot.restore', snapshotId, contextId });
  const loaded = { route, contextId, language, contextEpoch, sha256, size, manifest, entry };
  await recordLoadedState(deps, loaded).catch(async (error) => {
    throw await explainFailedCall(deps, { key, error });
  });
  return { contextId, ...restored };
}
