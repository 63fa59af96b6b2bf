import { agentContextsSchema } from '@holdfast/specs/agent';
import { languagesWithSnapshots } from '@holdfast/specs/public';
import type { AgentClient, AgentTarget } from '../agent/agent-client.ts';
import { type SnapshotDependencies, takeSnapshot } from './take-snapshot.ts';

export type LastStateDependencies = Omit<SnapshotDependencies, 'agents'> & {
  agents: Pick<AgentClient, 'call' | 'pull'>;
  /** The way to the session's bound sandbox; null if there is none. */
  routes: { find(sessionId: string): Promise<AgentTarget | null> };
};

/** A sandbox that is told to stop, for instance because its node is drained, has some seconds. One that is gone does not answer. */
const answerMs = 1500;
const saveMs = 6000;

/**
 * Saves the contexts of a sandbox that is about to end, if it still answers. Its running steps are interrupted first. Never rejects.
 */
export async function saveLastState(
  deps: LastStateDependencies,
  { id, epoch }: { id: string; epoch: number },
): Promise<void> {
  const signal = AbortSignal.timeout(saveMs);
  try {
    const route = await deps.routes.find(id);
    if (route?.epoch !== epoch) return;
    await deps.agents.call(route, { method: 'POST', path: '/v1/fence', timeoutMs: answerMs, signal });
    const { contexts } = await deps.agents.call(route, {
      method: 'GET',
      path: '/v1/contexts',
      schema: agentContextsSchema,
      timeoutMs: answerMs,
      signal,
    });
    const savable = contexts.filter(({ language }) => languagesWithSnapshots.has(language));
    await Promise.allSettled(
      savable.map(({ contextId, language }) =>
        takeSnapshot(deps, { route, contextId, language, origin: 'auto', signal }),
      ),
    );
  } catch {
    // The latest snapshots are older then.
  }
}
