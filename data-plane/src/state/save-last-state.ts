import { setTimeout as delay } from 'node:timers/promises';
import { agentContextsSchema } from '@holdfast/specs/agent';
import { languagesWithSnapshots } from '@holdfast/specs/public';
import type { AgentClient, AgentTarget } from '../agent/agent-client.ts';
import { AgentError } from '../agent/agent-error.ts';
import type { Logger } from '../observability/logger.ts';
import { withDeadline } from '../timing/with-deadline.ts';
import { type SnapshotDependencies, takeSnapshot } from './take-snapshot.ts';

export type LastStateDependencies = Omit<SnapshotDependencies, 'agents'> & {
  agents: Pick<AgentClient, 'call' | 'pull'>;
  log: Pick<Logger, 'warn'>;
  /** The way to the session's bound sandbox; null if there is none. */
  routes: { find(sessionId: string): Promise<AgentTarget | null> };
};

/** A sandbox that is told to stop has some seconds. One that is gone does not answer. */
const answerMs = 1500;
const saveMs = 6000;
const pollMs = 50;

/** Saves the contexts of a sandbox that is about to end, if it still answers. Its running steps are interrupted first. Never rejects. */
export async function saveLastState(
  deps: LastStateDependencies,
  { id, epoch }: { id: string; epoch: number },
): Promise<void> {
  const signal = AbortSignal.timeout(saveMs);
  try {
    const route = await deps.routes.find(id);
    if (route?.epoch !== epoch) return;
    const fenced = deps.agents.call(route, {
      method: 'POST',
      path: '/v1/fence?saving=true',
      timeoutMs: answerMs,
      signal,
    });
    await withDeadline(fenced, { ms: answerMs, what: 'the fence' });
    const { contexts } = await deps.agents.call(route, {
      method: 'GET',
      path: '/v1/contexts',
      schema: agentContextsSchema,
      timeoutMs: answerMs,
      signal,
    });
    const savable = contexts.filter(({ language }) => languagesWithSnapshots.has(language));
    const saved = savable.map(({ contextId, language }) =>
      patiently(() => takeSnapshot(deps, { route, contextId, language, origin: 'auto', signal })),
    );
    await withDeadline(Promise.all(saved), { ms: saveMs, what: 'the last snapshots' });
  } catch (err) {
    deps.log.warn({ sessionId: id, epoch, err }, 'a sandbox that is about to end could not be saved again');
  }
}

/** Another replica may be saving the same context, and this one must not go on before that is done. */
async function patiently(save: () => Promise<unknown>): Promise<void> {
  for (const startMs = performance.now(); ; await delay(pollMs)) {
    try {
      await save();
      return;
    } catch (error) {
      const isBusy = error instanceof AgentError && error.slug === 'context-busy';
      if (!isBusy || performance.now() - startMs > saveMs) throw error;
    }
  }
}
