import { setTimeout as delay } from 'node:timers/promises';
import { Problem } from '@holdfast/specs/public';
import type { Logger } from '../observability/logger.ts';
import { withDeadline } from '../timing/with-deadline.ts';
import { type RemoveDependencies, removeSandbox } from './remove-sandbox.ts';

type Dependencies = RemoveDependencies & {
  log: Pick<Logger, 'warn'>;
  leaseSeconds: number;
  isDraining(): boolean;
};

/** After a loss for any other reason, the runtime has said that nothing of the sandbox runs. */
export const mayStillRun = (lostReason: string | null | undefined): boolean =>
  lostReason === 'agent_silent' || lostReason === 'step_overran' || lostReason === 'process_overran';

const retryMs = 500;

/**
 * Waits until a sandbox that was taken from its session while it ran is confirmed gone, so that its code and that of the next sandbox never run at
 * the same time. If that cannot be confirmed, for instance because a node is cut off, its lease ends it: nothing renews it any more.
 * @throws Problem 503 if this replica is to stop: another one begins the recovery again
 */
export async function awaitEarlierEnd(deps: Dependencies, ended: { id: string; epoch: number }): Promise<void> {
  const untilMs = performance.now() + deps.leaseSeconds * 1000;
  let last: unknown;
  for (let leftMs = deps.leaseSeconds * 1000; leftMs > 0; leftMs = untilMs - performance.now()) {
    try {
      return await withDeadline(removeSandbox(deps, ended), { ms: leftMs, what: 'the end of the earlier sandbox' });
    } catch (error) {
      if (deps.isDraining()) throw new Problem('session-starting', { retryAfterSeconds: 1, cause: error });
      last = error;
      await delay(Math.min(retryMs, leftMs));
    }
  }
  deps.log.warn({ sessionId: ended.id, epoch: ended.epoch, err: last }, 'an earlier sandbox is not confirmed gone');
}
