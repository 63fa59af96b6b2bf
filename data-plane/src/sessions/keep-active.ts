import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../registry/connect.ts';
import { touchSession } from '../registry/sessions/touch-session.ts';

const repeatMsMax = 30_000;

/** An outage of the database is shorter than most idle times. */
const retryMs = 1000;

/**
 * Counts as activity of the session while `work` runs, and at its end, so that the session does not idle out meanwhile. If the session
 * is no longer active, `work` meets that by itself.
 */
export async function keepActive<T>(
  { db }: { db: Database },
  session: { sessionId: string; epoch: number },
  work: () => Promise<T>,
): Promise<T> {
  const ended = new AbortController();
  const touching = touchUntil(ended.signal, () => touchSession(db, session));
  try {
    return await work();
  } finally {
    ended.abort();
    await touching;
    await touchSession(db, session).catch(() => {});
  }
}

async function touchUntil(
  signal: AbortSignal,
  touch: () => Promise<{ idleTimeoutSeconds: number } | null>,
): Promise<void> {
  while (!signal.aborted) {
    const waitMs = await touch().then(
      // Three times within the idle time, so that one of them may be late.
      (touched) => touched && Math.min(repeatMsMax, (touched.idleTimeoutSeconds * 1000) / 3),
      () => retryMs,
    );
    if (waitMs === null) return;
    await delay(waitMs, undefined, { signal }).catch(() => {});
  }
}
