import type { Logger } from '../../observability/logger.ts';
import { takeDueSessions } from '../../registry/sessions/take-due-sessions.ts';
import type { LeaveDependencies } from '../../sessions/leave-active.ts';
import { apply } from '../apply.ts';
import { plan } from '../plan.ts';

const batch = 20;
/** As long as a removal may take, so that no other replica begins it too. */
const sweepSeconds = 45;

/** Holds sessions to their deadlines: start, age, idleness; and sees to the sweeping of what has ended, which goes on behind. */
export async function settleDueSessions(deps: LeaveDependencies & { log: Logger }): Promise<void> {
  for (;;) {
    const due = await takeDueSessions(deps.db, { limit: batch, sweepSeconds });
    await Promise.all(
      due.map(async ({ id, epoch, due }) => {
        try {
          await apply(deps, plan({ seen: 'due', sessionId: id, epoch, due }));
        } catch (error) {
          deps.log.error({ sessionId: id, due, err: error }, 'a due session could not be settled');
        }
      }),
    );
    if (due.length < batch) return;
  }
}
