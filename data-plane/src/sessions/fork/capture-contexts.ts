import { agentContextsSchema } from '@holdfast/specs/agent';
import { languagesWithSnapshots } from '@holdfast/specs/public';
import type { AgentClient } from '../../agent/agent-client.ts';
import type { Seal } from '../../keys/seal.ts';
import type { Database } from '../../registry/connect.ts';
import { listContexts } from '../../registry/contexts/list-contexts.ts';
import type { ContextRow } from '../../registry/schema/contexts.ts';
import type { FirstStates } from '../../registry/sessions/insert-with-state.ts';
import type { UnsavedContext } from '../../state/beginning-of.ts';
import { isStateGone, type PullDependencies, pullArchive } from '../../state/pull-archive.ts';
import { whenIdle } from '../../state/when-idle.ts';
import type { Route } from '../sandbox-routes.ts';

export type CaptureDependencies = PullDependencies & {
  db: Database;
  agents: Pick<AgentClient, 'call' | 'pull'>;
  seal: Pick<Seal, 'open' | 'close'>;
};

export type CapturedContexts = Pick<FirstStates, 'contexts' | 'states'> & { unsaved: UnsavedContext[] };

/** The data-plane may be saving a context by itself. */
const patienceMs = 2000;

/**
 * Stores the state of each context of a session, for other sessions. The session's own snapshots stay as they are.
 * @throws AgentError, `context-busy` while a step runs or waits
 */
export async function captureContexts(
  deps: CaptureDependencies,
  { route, signal }: { route: Route; signal: AbortSignal },
): Promise<CapturedContexts> {
  const call = { method: 'GET', path: '/v1/contexts', schema: agentContextsSchema, signal } as const;
  const { contexts } = await deps.agents.call(route, call);
  const states: CapturedContexts['states'][number][] = [];
  const unsaved: UnsavedContext[] = [];
  for (const { contextId, language } of contexts) {
    if (!languagesWithSnapshots.has(language)) {
      unsaved.push({ contextId, language, reason: `The state of a ${language} context cannot be saved.` });
      continue;
    }
    const pull = () => pullArchive(deps, { route, contextId, language, signal, isFork: true });
    try {
      const archive = await whenIdle(pull, { ms: patienceMs });
      if (archive) states.push({ contextId, language, ...archive.content });
    } catch (error) {
      // A kernel can end at any time, so only the answer to this request says whether it was there.
      if (!isStateGone(error)) throw error;
      unsaved.push({ contextId, language, reason: 'The kernel of the context has ended.' });
    }
  }
  const rows = await listContexts(deps.db, { sessionId: route.sessionId });
  return { states, unsaved, contexts: await Promise.all(rows.map((row) => resealed(deps.seal, row))) };
}

/** The context for other sessions, with its settings sealed under the current key: they may outlive the key that sealed them. */
export async function resealed(
  seal: Pick<Seal, 'open' | 'close'>,
  { id, language, cwd, settings }: ContextRow,
): Promise<FirstStates['contexts'][number]> {
  return { id, language, cwd, settings: settings === null ? null : await seal.close(await seal.open(settings)) };
}
