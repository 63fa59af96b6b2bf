import { askedBy } from '../policy/audit/asked-by.ts';
import { findSession } from '../registry/sessions/find-session.ts';
import { requestDeletion } from '../registry/sessions/request-deletion.ts';
import { withDeadline } from '../timing/with-deadline.ts';
import type { Caller } from './caller.ts';
import { type EndDependencies, endWithoutWaiting } from './end-and-fence.ts';
import { deletionOf, noSession, unknownStatus } from './existing-session.ts';
import { removeSandbox } from './remove-sandbox.ts';

const answerWithinMs = 10_000;

/**
 * Ends a session in whichever epoch it is, and deletes it; from now on its id answers 410.
 * @returns `gone` if nothing of it runs any more; `ending` if that is not confirmed yet or has failed: the removal goes on, and a repeat
 * of the request tells how it went
 * @throws Problem 404; 503 in a status that only newer replicas know
 */
export async function deleteSession(
  deps: EndDependencies,
  { caller, id }: { caller: Caller; id: string },
): Promise<'gone' | 'ending'> {
  const { tenant } = caller;
  const end = { to: 'aborted', reason: 'aborted_by_host', change: askedBy(caller, 'session.abort') } as const;
  await endWithoutWaiting(deps, { id, tenant, epoch: 'any', ...end });
  const session = await requestDeletion(deps.db, { id, tenant, change: askedBy(caller, 'session.delete') });
  if (!session) {
    if (await deletionOf(deps.db, { id, tenant })) return 'gone';
    const unknown = await findSession(deps.db, { id, tenant });
    throw unknown ? unknownStatus(unknown) : noSession(id);
  }
  const removal = removeSandbox(deps, session);
  deps.background(removal);
  return await withDeadline(removal, { ms: answerWithinMs, what: 'the removal' }).then(
    () => 'gone' as const,
    () => 'ending' as const,
  );
}
