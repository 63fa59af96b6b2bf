import { agentContextSchema } from '@holdfast/specs/agent';
import type { Context } from '@holdfast/specs/public';
import type { AgentClient } from '../agent/agent-client.ts';
import { entryOf } from '../policy/audit/asked-by.ts';
import { findContext } from '../registry/contexts/find-context.ts';
import { findSession } from '../registry/sessions/find-session.ts';
import { agentProblem } from '../sessions/agent-problem.ts';
import type { Caller } from '../sessions/caller.ts';
import { type RecordLoadedDependencies, recordLoadedState } from '../sessions/recover/record-loaded-state.ts';
import type { Routes } from '../sessions/sandbox-routes.ts';
import { contextView } from './list-contexts.ts';

type RestartDependencies = RecordLoadedDependencies & {
  agents: Pick<AgentClient, 'call'>;
  routes: Pick<Routes, 'resolve'>;
  hint(sessionId: string): void;
};

type ContextKey = { caller: Caller; sessionId: string; contextId: string };

/**
 * Gives a context a new kernel. The running step ends as interrupted; waiting steps run in the new kernel.
 * @throws Problem 404, 410, 502, 503
 */
export async function restartContext(
  deps: RestartDependencies,
  { caller, sessionId, contextId }: ContextKey,
): Promise<Context> {
  const route = await deps.routes.resolve({ sessionId, tenant: caller.tenant });
  const call = { method: 'POST', path: `/v1/contexts/${contextId}/restart`, schema: agentContextSchema } as const;
  const restart = async () => {
    const restarted = await deps.agents.call(route, call);
    const { contextEpoch, language } = restarted;
    // A recovery and a resume bring back nothing of the time before.
    const nothing = { sha256: null, size: 0, manifest: null };
    const entry = entryOf(caller, sessionId, { operation: 'context.restart', contextId });
    await recordLoadedState(deps, { route, contextId, language, contextEpoch, ...nothing, entry });
    return restarted;
  };
  const restarted = await restart().catch((error) => {
    throw agentProblem(deps, { sessionId, error });
  });
  // A default context has no row: it exists as long as its session.
  const row = (await findContext(deps.db, { sessionId, contextId })) ?? (await findSession(deps.db, { id: sessionId }));
  return contextView(restarted, row?.createdAt ?? new Date());
}
