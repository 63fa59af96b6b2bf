import { type CreateSnapshot, type Language, Problem, type Snapshot } from '@holdfast/specs/public';
import { type ContextLanguages, isDefaultContext } from '../contexts/context-languages.ts';
import { listSnapshots } from '../registry/snapshots/list-snapshots.ts';
import { type ExplainDependencies, explainFailedCall } from '../sessions/agent-problem.ts';
import type { Caller } from '../sessions/caller.ts';
import type { Route, Routes } from '../sessions/sandbox-routes.ts';
import { snapshotView } from '../state/snapshot-view.ts';
import { type SnapshotDependencies, takeSnapshot } from '../state/take-snapshot.ts';

export type CreateSnapshotDependencies = SnapshotDependencies &
  ExplainDependencies & {
    routes: Pick<Routes, 'resolve' | 'refresh'>;
    contextLanguages: ContextLanguages;
  };

type CreateInput = { caller: Caller; sessionId: string; request: CreateSnapshot };

/** Snapshots that a client asked for. Each stays until its session is deleted. */
const perSessionMax = 32;

/**
 * Saves the state of a context, as it is between two steps.
 * @throws Problem 404, 409 while the context runs a step, 410, 422 if there is nothing to save or the language cannot, 429, 502, 503
 */
export async function createSnapshot(
  deps: CreateSnapshotDependencies,
  { caller, sessionId, request }: CreateInput,
): Promise<Snapshot> {
  const key = { sessionId, tenant: caller.tenant };
  const route = await deps.routes.resolve(key);
  const contextId = request.contextId ?? route.language;
  const language = await languageOf(deps, { route, contextId });
  const earlier = (await listSnapshots(deps.db, { sessionId })).filter(({ origin }) => origin === 'request');
  if (earlier.length >= perSessionMax) {
    throw new Problem('quota-exceeded', {
      detail: `a session has at most ${perSessionMax} snapshots that were asked for`,
    });
  }
  const signal = AbortSignal.timeout(deps.snapshots.timeoutMs * 2);
  const taken = await takeSnapshot(deps, { route, contextId, language, origin: 'request', signal }).catch(
    async (error) => {
      throw await explainFailedCall(deps, { key, error });
    },
  );
  if (!taken) throw new Problem('snapshot-refused', { detail: `the context ${contextId} has run nothing yet` });
  return snapshotView(taken);
}

async function languageOf(
  { contextLanguages }: Pick<CreateSnapshotDependencies, 'contextLanguages'>,
  { route, contextId }: { route: Route; contextId: string },
): Promise<Language> {
  if (isDefaultContext(contextId)) return contextId;
  return await contextLanguages.find({ sessionId: route.sessionId, contextId });
}
