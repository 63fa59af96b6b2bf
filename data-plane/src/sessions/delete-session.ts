import { setTimeout as delay } from 'node:timers/promises';
import { requestDeletion } from '../registry/request-deletion.ts';
import type { Caller } from './caller.ts';
import { deletionOf, noSession } from './existing-session.ts';
import { type LeaveDependencies, leaveActive } from './leave-active.ts';
import { removeSandbox } from './remove-sandbox.ts';

const answerWithinMs = 10_000;

/**
 * Ends a session and purges it; from the first moment on its id answers 410. `gone` says that nothing of it runs any more, `ending`
 * that this is not confirmed yet and goes on. Asking again tells how it went. Throws Problem 404.
 */
export async function deleteSession(
  deps: LeaveDependencies,
  { caller, id }: { caller: Caller; id: string },
): Promise<'gone' | 'ending'> {
  await leaveActive(deps, { id, tenant: caller.tenant, to: 'aborted', reason: 'aborted_by_host' });
  const session = await requestDeletion(deps.db, { id, tenant: caller.tenant });
  if (!session) {
    if (await deletionOf(deps.db, { id, tenant: caller.tenant })) return 'gone';
    throw noSession(id);
  }
  const removed = removeSandbox(deps, session).then(() => 'gone' as const);
  const timeout = new AbortController();
  const late = delay(answerWithinMs, 'ending' as const, { signal: timeout.signal }).catch(() => 'ending' as const);
  deps.background(removed.catch(() => {}));
  return await Promise.race([removed, late]).finally(() => timeout.abort());
}
