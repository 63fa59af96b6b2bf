import { setTimeout as delay } from 'node:timers/promises';
import { agentContextsSchema } from '@holdfast/specs/agent';
import { languagesWithSnapshots, type Unsaved } from '@holdfast/specs/public';
import type { AgentClient } from '../../agent/agent-client.ts';
import { listLatestSnapshots } from '../../registry/snapshots/list-latest-snapshots.ts';
import { listPastSteps } from '../../registry/steps/list-past-steps.ts';
import { type SnapshotDependencies, takeSnapshot } from '../../state/take-snapshot.ts';
import { whenIdle } from '../../state/when-idle.ts';
import type { Route } from '../sandbox-routes.ts';

export type SaveDependencies = SnapshotDependencies & { agents: Pick<AgentClient, 'call' | 'pull'> };

type Saving = { route: Route; signal: AbortSignal };

/** A kernel that has just started is ready soon, and the end of a step is recorded soon. */
const patienceMs = 5000;
const pollMs = 50;

/**
 * Saves the state of each context of a sandbox that is held.
 * @returns the names that are not saved
 * @throws AgentError
 */
export async function saveContexts(deps: SaveDependencies, { route, signal }: Saving): Promise<Unsaved[]> {
  const { contexts } = await deps.agents.call(route, {
    method: 'GET',
    path: '/v1/contexts',
    schema: agentContextsSchema,
    signal,
  });
  for (const { contextId, language } of contexts) {
    if (!languagesWithSnapshots.has(language)) continue;
    await whenIdle(() => takeSnapshot(deps, { route, contextId, language, signal }), { ms: patienceMs });
  }
  const { sessionId } = route;
  const left = await stepsLeft(deps, sessionId);
  const latest = await listLatestSnapshots(deps.db, { sessionId });
  return [
    ...left.map((contextId) => ({ contextId, name: '*', reason: 'its steps are in no snapshot' })),
    ...latest.flatMap(({ contextId, manifest }) => (manifest?.notSaved ?? []).map((name) => ({ contextId, ...name }))),
  ];
}

/** The contexts with steps that no snapshot has, for instance those of languages without snapshots. */
async function stepsLeft({ db }: SaveDependencies, sessionId: string): Promise<string[]> {
  for (const startMs = performance.now(); ; await delay(pollMs)) {
    const past = await listPastSteps(db, { sessionId });
    const isSoon = past?.some(({ isUnfinished }) => isUnfinished) && performance.now() - startMs < patienceMs;
    if (!isSoon) return past === null ? ['*'] : [...new Set(past.map(({ contextId }) => contextId))];
  }
}
