import { Problem } from '@holdfast/specs/public';
import type { Queries } from '../registry/queries.ts';
import { findStepPlaces, type StepPlace } from '../registry/steps/list-step-places.ts';
import { OpenStep, type StepEvents } from './open-step.ts';
import type { SharedSteps } from './shared-steps.ts';
import type { StreamPosition } from './stream-position.ts';

export type OpenStepsDependencies = { db: Queries; sharedSteps: Pick<SharedSteps, 'join'> };

type OpenStepsInput = { sessionId: string; position: StreamPosition; onChange: () => void };

/** The steps of which one reader has begun to get the events. */
export function createOpenSteps(
  { db, sharedSteps }: OpenStepsDependencies,
  { sessionId, position, onChange }: OpenStepsInput,
) {
  const open = new Map<number, OpenStep>();

  async function join({ id, number }: StepPlace): Promise<void> {
    try {
      const joined = await sharedSteps.join({ sessionId, stepId: id });
      open.set(number, new OpenStep(joined, { number, seenSeq: position.open.get(number) ?? 0, onChange }));
    } catch (error) {
      // It was withdrawn, because it had not started, or purged.
      if (error instanceof Problem && error.slug === 'not-found') position.end(number);
      else throw error;
    }
  }

  function forget(step: OpenStep): void {
    open.delete(step.number);
    step.close();
  }

  return {
    /** Whether a step is open that has to be joined anew. */
    get hasLeft() {
      return open.size < position.open.size;
    },

    join,

    /** Joins those that the position has open and that are not joined. */
    async joinRest(): Promise<void> {
      const numbers = [...position.open.keys()].filter((number) => !open.has(number));
      if (numbers.length === 0) return;
      const places = await findStepPlaces(db, { sessionId, numbers });
      for (const place of places) await join(place);
      for (const number of numbers) if (!places.some((place) => place.number === number)) position.end(number);
    },

    /**
     * All events that there are now. A step that cannot be followed any further has to be joined anew.
     * @throws Problem `quota-exceeded` if its frames had to give up their memory
     */
    *take(): Generator<StepEvents, void, undefined> {
      for (const step of [...open.values()]) {
        for (let events = step.take(); events; events = step.take()) {
          if (events.finished) forget(step);
          yield events;
        }
        const { failure } = step;
        if (failure || step.isClosed) forget(step);
        if (failure instanceof Problem && failure.slug === 'quota-exceeded') throw failure;
      }
    },

    close(): void {
      for (const step of open.values()) step.close();
    },
  };
}
