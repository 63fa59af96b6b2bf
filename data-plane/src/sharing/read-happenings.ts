import { type AuditEvent, listAuditEvents } from '../registry/audit/list-audit-events.ts';
import { databaseUnavailable } from '../registry/database-error.ts';
import { listStepPlaces } from '../registry/steps/list-step-places.ts';
import { createLatch } from './latch.ts';
import type { StepEvents } from './open-step.ts';
import { createOpenSteps, type OpenStepsDependencies } from './open-steps.ts';
import type { SessionWatch } from './session-watches.ts';
import { openStepsMax, type StreamPosition } from './stream-position.ts';

export type { AuditEvent };

type EntryEvent = { entry: AuditEvent };

/** `quiet`: the reader has everything, and nothing happened for some time. */
export type Happening = StepEvents | EntryEvent | 'quiet';

type Reading = {
  sessionId: string;
  watch: SessionWatch;
  position: StreamPosition;
  signal: AbortSignal;
  quietMs: number;
};

const batch = 50;
/** How long a reader waits before it asks again for what it could not get. */
const againMs = 200;

/**
 * Everything that happens in a session after `position`, which the writer of the stream moves. Ends when the session has ended. A step is
 * found by its row and then read on the replica or in the sandbox that has it, so the registry alone decides which steps there are. While
 * the database is away the stream is quiet, and goes on afterwards.
 */
export async function* readHappenings(
  deps: OpenStepsDependencies,
  { sessionId, watch, position, signal, quietMs }: Reading,
): AsyncGenerator<Happening, void, undefined> {
  const latch = createLatch();
  const unsubscribe = watch.subscribe(latch.set);
  signal.addEventListener('abort', latch.set);
  let entries: AuditEvent[] = [];
  const steps = createOpenSteps(deps, { sessionId, position, onChange: latch.set });

  /** Entries up to a time, or all that there are now. */
  async function* takeEntries(until?: Date): AsyncGenerator<EntryEvent, void, undefined> {
    for (;;) {
      const upTo = watch.marks?.entryNumber ?? 0;
      if (entries.length === 0 && position.entryNumber < upTo) {
        const page = { sessionId, after: position.entryNumber, upTo, limit: batch };
        entries = await listAuditEvents(deps.db, page);
        if (entries.length === 0) position.passEntry(upTo);
      }
      const [entry] = entries;
      if (!entry || (until && entry.time > until)) return;
      entries.shift();
      yield { entry };
    }
  }

  /** A step that has ended is passed on as a whole before the next one is read. */
  async function* round(): AsyncGenerator<Happening, void, undefined> {
    await steps.joinRest();
    yield* steps.take();
    if (hasNextStep(watch, position)) {
      const { stepCount = 0 } = watch.marks ?? {};
      const limit = Math.min(batch, openStepsMax - position.open.size);
      const places = await listStepPlaces(deps.db, { sessionId, after: position.stepNumber, limit });
      for (const place of places) {
        yield* takeEntries(place.queuedAt);
        position.begin(place.number);
        await steps.join(place);
        yield* steps.take();
      }
      if (places.length < limit) position.pass(stepCount);
      else return;
    }
    yield* takeEntries();
  }

  try {
    let quietAtMs = performance.now() + quietMs;
    while (!signal.aborted) {
      latch.clear();
      let isAway = false;
      let hasYielded = false;
      try {
        for await (const events of round()) {
          hasYielded = true;
          yield events;
          if (signal.aborted) return;
        }
      } catch (error) {
        if (!databaseUnavailable(error)) throw error;
        isAway = true;
      }
      if (hasYielded) quietAtMs = performance.now() + quietMs;
      if (!isAway && (hasYielded || hasNextStep(watch, position))) continue;
      if (isAtEnd(watch, position)) return;
      const isIncomplete = isAway || steps.hasLeft;
      await latch.wait(Math.min(quietAtMs - performance.now(), isIncomplete ? againMs : quietMs));
      if (performance.now() < quietAtMs) continue;
      yield 'quiet';
      quietAtMs = performance.now() + quietMs;
    }
  } finally {
    unsubscribe();
    signal.removeEventListener('abort', latch.set);
    steps.close();
  }
}

/** Whether the next step can be read now. */
const hasNextStep = ({ marks }: SessionWatch, { stepNumber, open }: StreamPosition): boolean =>
  marks !== null && stepNumber < marks.stepCount && open.size < openStepsMax;

/** Whether the session has ended and the reader has everything. */
export function isAtEnd({ marks }: SessionWatch, { stepNumber, entryNumber, open }: StreamPosition): boolean {
  if (open.size > 0) return false;
  return marks === null || (marks.isOver && stepNumber >= marks.stepCount && entryNumber >= marks.entryNumber);
}
