import type { Database } from '../registry/connect.ts';
import { addPortBytes, type PortBytes } from '../registry/ports/add-port-bytes.ts';
import { touchSession } from '../registry/sessions/touch-session.ts';

/** How far the counts in the registry are behind. */
const recordMs = 5000;
const touchMsMax = 10_000;
/** After a failure. */
const touchAgainMs = 1000;
const touchedMax = 10_000;

type TrafficDependencies = { db: Database; background: (work: Promise<unknown>) => void };

export type PortTraffic = ReturnType<typeof createPortTraffic>;

/** Counts the bytes of visitors, and what they send as activity of the session. It costs few statements, however much passes. */
export function createPortTraffic({ db, background }: TrafficDependencies) {
  let passed = new Map<string, PortBytes>();
  let timer: NodeJS.Timeout | undefined;
  const touched = new Map<string, number>();

  function count(id: string, { received = 0, sent = 0 }: { received?: number; sent?: number }): void {
    const known = passed.get(id);
    passed.set(id, { id, received: (known?.received ?? 0) + received, sent: (known?.sent ?? 0) + sent });
    timer ??= setTimeout(() => background(record()), recordMs);
  }

  /** Tries again later with everything that could not be recorded. */
  async function record(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const recorded = [...passed.values()];
    passed = new Map();
    if (recorded.length === 0) return;
    try {
      await addPortBytes(db, recorded);
    } catch {
      for (const { id, ...bytes } of recorded) count(id, bytes);
    }
  }

  return {
    count,

    /** A visitor has sent something. If the session is no longer in this epoch, that has no effect. */
    touch(session: { sessionId: string; epoch: number }): void {
      const name = `${session.sessionId} ${session.epoch}`;
      const nowMs = performance.now();
      if ((touched.get(name) ?? 0) > nowMs) return;
      if (touched.size >= touchedMax) touched.clear();
      touched.set(name, nowMs + touchMsMax);
      const touching = touchSession(db, session).then(
        (found) => {
          // Three times within the idle time.
          if (found) touched.set(name, nowMs + Math.min(touchMsMax, (found.idleTimeoutSeconds * 1000) / 3));
        },
        () => touched.set(name, performance.now() + touchAgainMs),
      );
      background(touching);
    },

    /** Records what is left. */
    async close(): Promise<void> {
      await record();
      clearTimeout(timer);
    },
  };
}
