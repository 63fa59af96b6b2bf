import { requestDeletion } from '../registry/sessions/request-deletion.ts';
import { withDeadline } from '../timing/with-deadline.ts';
import type { Caller } from './caller.ts';
import { deletionOf, noSession } from './existing-session.ts';
import { type LeaveDependencies, startLeaving } from './leave-active.ts';
import { removeSandbox } from './remove-sandbox.ts';

const answerWithinMs = 10_000;

/**
 * Ends a session and purges it; from the first moment on its id answers 410. `gone` says that nothing of it runs any more, `ending`
 * that this is not confirmed yet, or failed, and goes on. Asking again tells how it went. Throws Problem 404.
 */
export async function deleteSession(
  deps: LeaveDependencies,
  { caller, id }: { caller: Caller; id: string },
): Promise<'gone' | 'ending'> {
  await startLeaving(deps, { id, tenant: caller.tenant, to: 'aborted', reason: 'aborted_by_host' });
  const session = await requestDeletion(deps.db, { id, tenant: caller.tenant });
  if (!session) {
    if (await deletionOf(deps.db, { id, tenant: caller.tenant })) return 'gone';
    throw noSession(id);
  }
  const removal = removeSandbox(deps, session);
  deps.background(removal);
  return await withDeadline(removal, { ms: answerWithinMs, what: 'the removal' }).then(
    () => 'gone' as const,
    () => 'ending' as const,
  );
}
