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
  /** `sinceMs` is when the first of the ids came. */
  const pending = new Map<string, { route: Route; ids: string[]; sinceMs: number; timer: NodeJS.Timeout }>();
  let closed = false;

  /** While steps come one after the other, the timer runs on, and is not set anew for each of them. */
  function ring(uid: string): void {
    const waiting = pending.get(uid);
    if (!waiting) return;
    const leftMs = waiting.sinceMs + delayMs - performance.now();
    if (waiting.ids.length === 0) pending.delete(uid);
    else if (leftMs > 1) waiting.timer = setTimeout(ring, leftMs, uid);
    else void send(uid);
  }

  async function send(uid: string): Promise<void> {
    const waiting = pending.get(uid);
    if (!waiting) return;
    const { route } = waiting;
    const ids = take(uid);
    if (waiting.ids.length > 0) waiting.timer.refresh();
    else drop(uid);
    if (ids.length === 0) return;
    const call = { method: 'POST', ...requests[of](ids), withSteps: 'if-idle' } as const;
    await agents.call(route, call).catch(() => {});
  }

  /** The ids to send with the next request to this sandbox. */
  function take(uid: string): string[] {
    return pending.get(uid)?.ids.splice(0, acksPerRequestMax) ?? [];
  }

  function add(route: Route, ...ids: string[]): void {
    if (ids.length === 0 || closed) return;
    const { sandboxUid: uid } = route;
    const waiting = pending.get(uid);
    if (!waiting) {
      const timer = setTimeout(ring, delayMs, uid);
      pending.set(uid, { route, ids, sinceMs: performance.now(), timer });
      return;
    }
    if (waiting.ids.length === 0) Object.assign(waiting, { route, sinceMs: performance.now() });
    waiting.ids.push(...ids);
  }

  /** Drops the waiting ids. */
  function drop(uid: string): void {
    clearTimeout(pending.get(uid)?.timer);
    pending.delete(uid);
  }

  return {
    take,
    add,
    /** Sends the waiting ids for this sandbox now. */
    send,
    /** For a sandbox that is gone. */
    drop,
    close(): void {
      closed = true;
      for (const { timer } of pending.values()) clearTimeout(timer);
      pending.clear();
    },
  };
}
