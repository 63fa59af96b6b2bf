import { agentContextSchema } from '@holdfast/specs/agent';
import { type Context, type Language, newId } from '@holdfast/specs/public';
import type { AgentClient } from '../agent/agent-client.ts';
import type { Database } from '../registry/connect.ts';
import { findContext } from '../registry/contexts/find-context.ts';
import { findSession } from '../registry/sessions/find-session.ts';
import { insertSnapshot } from '../registry/snapshots/insert-snapshot.ts';
import { agentProblem } from '../sessions/agent-problem.ts';
import type { Caller } from '../sessions/caller.ts';
import { changedJustNow } from '../sessions/existing-session.ts';
import { reserveContextEpoch } from '../sessions/reserve-context-epoch.ts';
import type { Route, Routes } from '../sessions/sandbox-routes.ts';
import { contextView } from './list-contexts.ts';

type RestartDependencies = {
  db: Database;
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
    await reserveContextEpoch(deps, { route, contextEpoch });
    await recordFreshContext(deps.db, { route, contextId, language, contextEpoch });
    return restarted;
  };
  const restarted = await restart().catch((error) => {
    throw agentProblem(deps, { sessionId, error });
  });
  // A default context has no row: it exists as long as its session.
  const row = (await findContext(deps.db, { sessionId, contextId })) ?? (await findSession(deps.db, { id: sessionId }));
  return contextView(restarted, row?.createdAt ?? new Date());
}

type Fresh = { route: Pick<Route, 'sessionId' | 'epoch'>; contextId: string; language: Language; contextEpoch: number };

/** A recovery and a resume bring back nothing of the time before. */
async function recordFreshContext(db: Database, { route, contextId, language, contextEpoch }: Fresh): Promise<void> {
  const { sessionId, epoch } = route;
  const base = { sessionId, contextId, language, origin: 'base', sha256: null, size: 0, manifest: null } as const;
  const fresh = { id: newId('snp'), ...base, epoch, contextEpoch, executionCount: 0 };
  if (!(await insertSnapshot(db, fresh))) throw changedJustNow(sessionId);
}
