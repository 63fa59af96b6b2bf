import { setTimeout as delay } from 'node:timers/promises';
import { AgentError } from '../agent/agent-error.ts';

const pollMs = 50;

/**
 * Repeats what needs an idle context until the context is idle: a kernel that has just started is ready soon, and a snapshot that another
 * replica takes is soon done.
 * @throws AgentError `context-busy` if it is still busy after `ms`; the errors of `work`
 */
export async function whenIdle<T>(work: () => Promise<T>, { ms }: { ms: number }): Promise<T> {
  for (const startMs = performance.now(); ; await delay(pollMs)) {
    try {
      return await work();
    } catch (error) {
      const isBusy = error instanceof AgentError && error.slug === 'context-busy';
      if (!isBusy || performance.now() - startMs > ms) throw error;
    }
  }
}
