import { agentContextsSchema } from '@holdfast/specs/agent';
import { languagesWithSnapshots } from '@holdfast/specs/public';
import type { AgentClient, AgentTarget } from '../agent/agent-client.ts';
import type { Logger } from '../observability/logger.ts';
import { withDeadline } from '../timing/with-deadline.ts';
import { type SnapshotDependencies, takeSnapshot } from './take-snapshot.ts';
import { whenIdle } from './when-idle.ts';

export type LastStateDependencies = Omit<SnapshotDependencies, 'agents'> & {
  agents: Pick<AgentClient, 'call' | 'pull'>;
  log: Pick<Logger, 'warn'>;
  /** The way to the session's bound sandbox; null if there is none. */
  routes: { find(sessionId: string): Promise<AgentTarget | null> };
};

/** A sandbox that is told to stop has some seconds. One that is gone does not answer. */
const answerMs = 1500;
const saveMs = 6000;

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
      // Another replica may be saving the same context, and this one must not go on before that is done.
      whenIdle(() => takeSnapshot(deps, { route, contextId, language, signal }), { ms: saveMs }),
    );
    // One that cannot be saved does not cut off the others.
    const ended = Promise.allSettled(saved).then(() => Promise.all(saved));
    await withDeadline(ended, { ms: saveMs, what: 'the last snapshots' });
  } catch (err) {
    deps.log.warn({ sessionId: id, epoch, err }, 'a sandbox that is about to end could not be saved again');
  }
}
