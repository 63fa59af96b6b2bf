import type { Verbs } from '../../v1/verbs.ts';
import type { Call } from './call.ts';

type RunningCall = { mcpId: string; key: string; cancelling: AbortController };

const everyMs = 1000;

export type RunningCalls = ReturnType<typeof createRunningCalls>;

/**
 * The calls that are under way on this replica. A client may cancel one of them through another replica, which leaves a mark for it; a second
 * later at most it is seen here.
 */
export function createRunningCalls({ listCancelledCalls }: Pick<Verbs, 'listCancelledCalls'>) {
  const calls = new Set<RunningCall>();
  let timer: NodeJS.Timeout | undefined;

  /** Cancels the calls that are marked by now. */
  async function look(): Promise<void> {
    const ids = [...new Set([...calls].map(({ mcpId }) => mcpId))];
    if (ids.length > 0) for (const key of await listCancelledCalls({ ids })) cancel(key);
  }

  /** @returns whether the call is under way here */
  function cancel(key: string): boolean {
    const named = [...calls].filter((call) => call.key === key);
    for (const { cancelling } of named) cancelling.abort();
    return named.length > 0;
  }

  return {
    look,
    cancel,

    /** Does the work of a call, with the signal that aborts when it is cancelled. */
    async during<T>({ mcp, key }: Pick<Call, 'mcp' | 'key'>, work: (cancelled: AbortSignal) => Promise<T>): Promise<T> {
      const call = { mcpId: mcp.id, key, cancelling: new AbortController() };
      calls.add(call);
      // A registry that is away now is asked again.
      timer ??= setInterval(() => void look().catch(() => {}), everyMs);
      try {
        // Its cancellation may have come before it.
        if (mcp.cancelled.some((mark) => mark.key === key)) await look();
        return await work(call.cancelling.signal);
      } finally {
        calls.delete(call);
        if (calls.size === 0) {
          clearInterval(timer);
          timer = undefined;
        }
      }
    },
  };
}
