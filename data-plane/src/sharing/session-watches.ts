import { setTimeout as delay } from 'node:timers/promises';
import type { Queries } from '../registry/queries.ts';
import { listSessionMarks, type SessionMarks } from '../registry/sessions/list-session-marks.ts';
import { createLatch } from './latch.ts';

type Marks = Omit<SessionMarks, 'id'>;

/** A session that readers of this replica watch. */
export type SessionWatch = {
  /** As last read; only grows. Null: the session is gone. */
  readonly marks: Marks | null;
  /** Calls back after the marks have changed. Returns a function that ends the subscription. */
  subscribe(onChange: () => void): () => void;
};

type Watched = { marks: Marks | null; listeners: Set<() => void> };

export type SessionWatches = ReturnType<typeof createSessionWatches>;

const pollMs = 100;
const pollMsMax = 500;
/** Two reads are at least this far apart, however many steps this replica announces. */
const hintMs = 10;
/** The reads take about this part of the time at most, however many sessions are watched: polls alone, and all reads. */
const pollPart = 0.05;
const hintPart = 0.2;
const awayMs = 500;

/**
 * The sessions that readers watch on this replica. One statement reads how far all of them have come, ten times a second, and only as
 * long as there are any: so a step costs no statement more, whether or not its session is watched, and nothing is lost with a
 * connection. Steps of this replica are announced without waiting for that.
 */
export function createSessionWatches({ db }: { db: Queries }) {
  const watched = new Map<string, Watched>();
  const hinted = createLatch();
  let isPolling = false;

  async function poll(): Promise<void> {
    isPolling = true;
    while (watched.size > 0) {
      const startedAtMs = performance.now();
      hinted.clear();
      const isRead = await readAll().then(
        () => true,
        () => false,
      );
      const tookMs = performance.now() - startedAtMs;
      await delay(isRead ? Math.min(Math.max(hintMs, tookMs / hintPart), pollMs) : awayMs);
      if (isRead) await hinted.wait(Math.min(Math.max(pollMs, tookMs / pollPart), pollMsMax));
    }
    isPolling = false;
  }

  async function readAll(): Promise<void> {
    const asked = [...watched];
    const known = asked.map(([id, { marks }]) => ({ id, entryNumber: marks?.entryNumber ?? 0 }));
    const rows = await listSessionMarks(db, { known });
    const found = new Map(rows.map((row) => [row.id, row]));
    for (const [id, session] of asked) note(session, found.get(id) ?? null);
  }

  /** An earlier read may be answered later. */
  function note(session: Watched, marks: Marks | null): void {
    const { marks: before } = session;
    if (before === null || (marks && !isBeyond(marks, before))) return;
    session.marks = marks && {
      stepCount: Math.max(before.stepCount, marks.stepCount),
      entryNumber: Math.max(before.entryNumber, marks.entryNumber),
      isOver: before.isOver || marks.isOver,
    };
    for (const listener of session.listeners) listener();
  }

  return {
    /** Something was recorded about the session here. */
    hint(sessionId: string): void {
      if (watched.size > 0 && watched.has(sessionId)) hinted.set();
    },

    /** Watches a session, with the marks as they are now, until `signal` aborts. */
    async watch(sessionId: string, signal: AbortSignal): Promise<SessionWatch> {
      const [marks = null] = await listSessionMarks(db, { known: [{ id: sessionId, entryNumber: 0 }] });
      signal.throwIfAborted();
      const session: Watched = watched.get(sessionId) ?? { marks, listeners: new Set() };
      const subscribe = (onChange: () => void) => {
        session.listeners.add(onChange);
        watched.set(sessionId, session);
        if (!isPolling) void poll();
        return () => {
          session.listeners.delete(onChange);
          if (session.listeners.size === 0 && watched.get(sessionId) === session) watched.delete(sessionId);
        };
      };
      if (marks) note(session, marks);
      signal.addEventListener(
        'abort',
        subscribe(() => {}),
      );
      return {
        get marks() {
          return session.marks;
        },
        subscribe,
      };
    },
  };
}

const isBeyond = (marks: Marks, before: Marks): boolean =>
  marks.stepCount > before.stepCount || marks.entryNumber > before.entryNumber || (marks.isOver && !before.isOver);
