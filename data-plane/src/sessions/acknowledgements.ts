import type { AgentClient } from '../agent/agent-client.ts';
import type { Route } from './sandbox-routes.ts';

/** Long enough for the next step to carry them for nothing, short enough that an idle agent soon forgets. */
const delayMs = 200;
const acksPerRequestMax = 1000;

export type Acknowledgements = ReturnType<typeof createAcknowledgements>;

/**
 * Tells agents which ends are recorded, with the next step where one comes soon, so that they can forget the results. What gets
 * lost on the way is made up for when the agents' leases are renewed.
 */
export function createAcknowledgements({ agents }: { agents: Pick<AgentClient, 'call'> }) {
  const pending = new Map<string, { route: Route; stepIds: string[]; timer: NodeJS.Timeout }>();
  let closed = false;

  async function send(uid: string): Promise<void> {
    const waiting = pending.get(uid);
    if (!waiting) return;
    const { route } = waiting;
    const stepIds = take(uid);
    await agents.call(route, { method: 'POST', path: '/v1/acks', body: { stepIds } }).catch(() => {});
  }

  /** What is to go with the next request to this sandbox. */
  function take(uid: string): string[] {
    const waiting = pending.get(uid);
    if (!waiting) return [];
    const stepIds = waiting.stepIds.splice(0, acksPerRequestMax);
    if (waiting.stepIds.length === 0) {
      clearTimeout(waiting.timer);
      pending.delete(uid);
    } else waiting.timer.refresh();
    return stepIds;
  }

  function add(route: Route, ...stepIds: string[]): void {
    if (stepIds.length === 0 || closed) return;
    const waiting = pending.get(route.sandboxUid);
    if (waiting) waiting.stepIds.push(...stepIds);
    else {
      const timer = setTimeout(() => void send(route.sandboxUid), delayMs);
      pending.set(route.sandboxUid, { route, stepIds, timer });
    }
  }

  return {
    take,
    add,
    /** Sends what waits for this sandbox now. */
    send,
    /** Forgets what waits: the process ends, or the sandbox is gone. */
    forget(uid: string): void {
      clearTimeout(pending.get(uid)?.timer);
      pending.delete(uid);
    },
    close(): void {
      closed = true;
      for (const { timer } of pending.values()) clearTimeout(timer);
      pending.clear();
    },
  };
}
