import type { AgentClient } from '../agent/agent-client.ts';
import type { Route } from './sandbox-routes.ts';

/** Long enough that the next step often carries them at no cost, short enough that an idle agent soon frees its memory. */
const delayMs = 200;
const acksPerRequestMax = 1000;

export type Acknowledgements = ReturnType<typeof createAcknowledgements>;

type AcknowledgeDependencies = { agents: Pick<AgentClient, 'call'>; of: keyof typeof requests };

const requests = {
  steps: (stepIds: string[]) => ({ path: '/v1/acks', body: { stepIds } }),
  processes: (processIds: string[]) => ({ path: '/v1/processes/acks', body: { processIds } }),
};

/**
 * Tells agents which steps or processes are recorded, so that they can drop the results: with the next step if one comes soon, otherwise by a call
 * of its own. An acknowledgement that gets lost is repeated when the agent's lease is renewed.
 */
export function createAcknowledgements({ agents, of }: AcknowledgeDependencies) {
  const pending = new Map<string, { route: Route; ids: string[]; timer: NodeJS.Timeout }>();
  let closed = false;

  async function send(uid: string): Promise<void> {
    const waiting = pending.get(uid);
    if (!waiting) return;
    const { route } = waiting;
    const ids = take(uid);
    const call = { method: 'POST', ...requests[of](ids), withSteps: 'if-idle' } as const;
    await agents.call(route, call).catch(() => {});
  }

  /** The ids to send with the next request to this sandbox. */
  function take(uid: string): string[] {
    const waiting = pending.get(uid);
    if (!waiting) return [];
    const ids = waiting.ids.splice(0, acksPerRequestMax);
    if (waiting.ids.length === 0) {
      clearTimeout(waiting.timer);
      pending.delete(uid);
    } else waiting.timer.refresh();
    return ids;
  }

  function add(route: Route, ...ids: string[]): void {
    if (ids.length === 0 || closed) return;
    const waiting = pending.get(route.sandboxUid);
    if (waiting) waiting.ids.push(...ids);
    else {
      const timer = setTimeout(() => void send(route.sandboxUid), delayMs);
      pending.set(route.sandboxUid, { route, ids, timer });
    }
  }

  return {
    take,
    add,
    /** Sends the waiting ids for this sandbox now. */
    send,
    /** Drops the waiting ids: the sandbox is gone. */
    drop(uid: string): void {
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
