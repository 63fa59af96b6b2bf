import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../../registry/connect.ts';
import { reserveProcessTime } from '../../registry/processes/reserve-process-time.ts';
import type { ProcessRow } from '../../registry/schema/processes.ts';

/** The time that a process reserves at once: a replica that dies leaves no more than this to be settled. */
export const sliceMs = 20_000;

type Watched = {
  row: Pick<ProcessRow, 'id' | 'budgetId' | 'reservedMs'>;
  replicaId: string;
  /** The time that the process has run already. */
  ranMs: number;
  signal: AbortSignal;
  /** The time of the budget is over. */
  onOver(): void;
};

const retryMs = 500;

/**
 * Reserves the time of a process piece by piece, before it is used, so that a process without an end takes nothing from others beforehand. Resolves
 * when the process has ended, or the replica does not follow it any more.
 */
export async function watchBudget(
  { db }: { db: Database },
  { row: { id, budgetId, reservedMs }, replicaId, ranMs, signal, onOver }: Watched,
): Promise<void> {
  if (budgetId === null) return;
  let leftMs = reservedMs === null ? null : reservedMs - ranMs;
  for (;;) {
    await delay(waitMs(leftMs), undefined, { signal }).catch(() => {});
    if (signal.aborted) return;
    try {
      const reserved = await reserveProcessTime(db, { id, replicaId, sliceMs });
      if (!reserved) return;
      ({ leftMs } = reserved);
    } catch {
      leftMs = retryMs;
    }
    if (signal.aborted) return;
    if (leftMs !== null && leftMs <= 0) return onOver();
  }
}

/** Half of a slice before its end, more time is reserved. */
const waitMs = (leftMs: number | null): number =>
  leftMs === null ? sliceMs : Math.max(0, leftMs > sliceMs / 2 ? leftMs - sliceMs / 2 : leftMs);
