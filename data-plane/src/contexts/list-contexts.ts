import type { AgentContext } from '@holdfast/specs/agent';
import type { Context, Page } from '@holdfast/specs/public';
import type { AgentClient } from '../agent/agent-client.ts';
import type { Database } from '../registry/connect.ts';
import { listContexts as listContextRows } from '../registry/contexts/list-contexts.ts';
import { findSession } from '../registry/sessions/find-session.ts';
import { agentProblem } from '../sessions/agent-problem.ts';
import type { Caller } from '../sessions/caller.ts';
import type { Routes } from '../sessions/sandbox-routes.ts';
import { isDefaultContext } from './context-languages.ts';
import { listLiveContexts } from './list-live-contexts.ts';

type ListDependencies = {
  db: Database;
  agents: Pick<AgentClient, 'call'>;
  routes: Pick<Routes, 'resolve'>;
  hint(sessionId: string): void;
};

/**
 * The live contexts in the sandbox, all on one page.
 * @throws Problem 404, 410, 502, 503
 */
export async function listContexts(
  deps: ListDependencies,
  { caller, sessionId }: { caller: Caller; sessionId: string },
): Promise<Page<Context>> {
  const route = await deps.routes.resolve({ sessionId, tenant: caller.tenant });
  const live = await listLiveContexts(deps, route).catch((error) => {
    throw agentProblem(deps, { sessionId, error });
  });
  const rows = await listContextRows(deps.db, { sessionId });
  const createdAt = new Map(rows.map((row) => [row.id, row.createdAt]));
  // A default context exists as long as its session; it has no kernel before its first step.
  const session = await findSession(deps.db, { id: sessionId });
  const since = session?.createdAt ?? new Date();
  const items = live.map((context) => contextView(context, createdAt.get(context.contextId) ?? since));
  return { items, nextCursor: null };
}

/** The public context. Pure. */
export function contextView({ contextId, ...context }: AgentContext, createdAt: Date): Context {
  return {
    id: contextId,
    language: context.language,
    isDefault: isDefaultContext(contextId),
    contextEpoch: context.contextEpoch,
    state: context.state,
    cwd: context.cwd,
    createdAt: createdAt.toISOString(),
  };
}
