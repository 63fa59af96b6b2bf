import type { Language, StateReset } from '@holdfast/specs/public';
import type { Logger } from '../observability/logger.ts';
import type { Database } from '../registry/connect.ts';
import { recordKernelLoss } from '../registry/sessions/record-kernel-loss.ts';
import { boundReport } from './bound-report.ts';

/** `epoch` is that of the sandbox in which the step ran. */
export type AnnouncedReset = {
  sessionId: string;
  epoch: number;
  contextId: string;
  language: Language;
  reset: StateReset;
};

/** Shows a loss that a step has announced in the session as well, if a kernel died and not the whole sandbox. Never rejects. */
export async function noteKernelLoss(
  { db, log }: { db: Database; log: Pick<Logger, 'warn'> },
  { sessionId, epoch, contextId, language, reset }: AnnouncedReset,
): Promise<void> {
  const { contextEpoch, restored, replayed, reasons = [] } = reset;
  const lost = reset.lost.map((name, i) => ({ name, reason: reasons[i] ?? 'it was lost with its kernel' }));
  const contexts = [{ contextId, language, contextEpoch, restored, replayed, lost, stopped: null }];
  const lastRecovery = boundReport({ epoch, time: new Date().toISOString(), contexts, omitted: 0 });
  try {
    await recordKernelLoss(db, { sessionId, contextId, contextEpoch, lastRecovery });
  } catch (err) {
    log.warn({ sessionId, contextId, err }, 'the loss of a kernel is not shown in its session');
  }
}
