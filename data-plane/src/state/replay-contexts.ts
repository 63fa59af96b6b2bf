import { type LastRecovery, languagesWithSnapshots } from '@holdfast/specs/public';
import type { AgentClient, AgentTarget } from '../agent/agent-client.ts';
import type { Seal } from '../keys/seal.ts';
import { decideLanguage } from '../policy/rules/decide.ts';
import type { StoredPolicy } from '../policy/rules/resolve-policy.ts';
import { findContext } from '../registry/contexts/find-context.ts';
import { listBases } from '../registry/snapshots/list-bases.ts';
import { listHistory } from '../registry/steps/list-history.ts';
import { boundReport } from './bound-report.ts';
import { contextSettings } from './context-settings.ts';
import { type LoadDependencies, loadContext } from './load-context.ts';
import { forbidden } from './recover-contexts.ts';
import { type SnapshotDependencies, takeSnapshot } from './take-snapshot.ts';

export type ReplayDependencies = LoadDependencies &
  SnapshotDependencies & { agents: Pick<AgentClient, 'call' | 'pull'>; seal: Pick<Seal, 'open'> };

type Replaying = {
  route: AgentTarget & { policy: StoredPolicy };
  signal: AbortSignal;
  /** Reserves the contextEpoch of a replayed context. */
  reserve(contextEpoch: number): Promise<unknown>;
};

/**
 * Runs the whole history of each context again, in order and without showing its output, in place of the state that the context has. It begins
 * with the state with which the context began, if that is one of another session or of an earlier snapshot. A step whose end is not known is not run again, so the replay ends before it.
 * @returns null if the history is too long, or a part of it was purged
 * @throws AgentError
 */
export async function replayContexts(
  deps: ReplayDependencies,
  { route, signal, reserve }: Replaying,
): Promise<LastRecovery | null> {
  const { sessionId, epoch } = route;
  const history = await listHistory(deps.db, { sessionId });
  if (!history) return null;
  const bases = await listBases(deps.db, { sessionId });
  const contexts: LastRecovery['contexts'] = [];
  for (const contextId of new Set([...bases, ...history].map((one) => one.contextId))) {
    const steps = history.filter((step) => step.contextId === contextId);
    const base = bases.find((one) => one.contextId === contextId);
    const language = base?.language ?? steps[0]?.language ?? contextId;
    const decision = decideLanguage(route.policy, language);
    if (!decision.allowed) {
      contexts.push({ contextId, language, ...forbidden(decision.rule) });
      continue;
    }
    const settings = await contextSettings(deps.seal, await findContext(deps.db, { sessionId, contextId }));
    const state = {
      contextId,
      language,
      settings,
      sha256: base?.sha256?.toString('hex') ?? null,
      steps,
      isAllKnown: true,
    };
    const loaded = await loadContext(deps, { route, state, signal });
    await reserve(loaded.contextEpoch);
    contexts.push({ contextId, language, ...loaded });
    // The next recovery starts from here.
    if (languagesWithSnapshots.has(language)) {
      await takeSnapshot(deps, { route, contextId, language, signal });
    }
  }
  return boundReport({ epoch, time: new Date().toISOString(), contexts, omitted: 0 });
}
