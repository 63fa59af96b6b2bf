import { removalSecondsMax } from '../../registry/sessions/end-session.ts';
import { takeDueSessions } from '../../registry/sessions/take-due-sessions.ts';
import { apply } from '../apply.ts';
import { observeDueSession } from '../observe.ts';
import { plan } from '../plan.ts';
import type { ReconcileDependencies } from '../reconcile.ts';

const batch = 20;

/** Ends the sessions whose deadlines have passed, and removes the sandboxes of those that have ended, in the background. */
export async function reconcileDueSessions(deps: ReconcileDependencies): Promise<void> {
  for (;;) {
    const due = await takeDueSessions(deps.db, {
      limit: batch,
      replicaId: deps.replicaId,
      removalSeconds: removalSecondsMax,
    });
    await Promise.all(
      due.map(async (session) => {
        const action = plan(observeDueSession(session));
        await apply(deps, action).catch((err) =>
          deps.log.error({ sessionId: session.id, act: action.act, err }, 'a due session could not be reconciled'),
        );
      }),
    );
    if (due.length < batch) return;
  }
}
