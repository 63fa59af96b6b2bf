import type { Resource } from './server/objects.ts';
import type { Verb } from './server/request.ts';

/** What can go wrong on demand, and what each wants to know. */
export type FaultOptions = {
  /** The answer is this status instead, 429 with Retry-After where seconds are given. Nothing is applied. */
  refuse: { status: number; retryAfterSeconds?: number };
  /** The answer comes late. */
  delay: { ms: number };
  /** The connection is reset; nothing is applied. */
  reset: object;
  /** The connection is reset after the request was applied. */
  loseAnswer: object;
  /** The next page of a list answers 410. */
  expireContinue: object;
  /** A watch that opens gets its head and then nothing, not even bookmarks or an end. */
  stallWatch: object;
  /** A watch event never comes. */
  dropEvent: object;
  /** A watch event comes twice. */
  duplicateEvent: object;
  /** The watch ends in the middle of an event's line. */
  truncateEvent: object;
};
export type FaultName = keyof FaultOptions;

/** Which requests a fault meets: all where nothing is said, and once. */
type Aim = { verb?: Verb; resource?: Resource; times?: number };

export type Faults = ReturnType<typeof createFaults>;

/** Keeps the faults that are to happen and counts those that did, so that a test can prove it. */
export function createFaults() {
  const armed: { name: FaultName; left: number; aim: Aim; options: object }[] = [];
  const counts = new Map<FaultName, number>();

  return {
    /** From now on the fault meets the next requests that it is aimed at. The function it returns disarms it. */
    arm<Name extends FaultName>(name: Name, { verb, resource, times = 1, ...options }: FaultOptions[Name] & Aim) {
      const fault = { name, left: times, aim: { ...(verb && { verb }), ...(resource && { resource }) }, options };
      armed.push(fault);
      return () => {
        fault.left = 0;
      };
    },
    /** How many times the fault happened. */
    happened: (name: FaultName): number => counts.get(name) ?? 0,
    /** The options of the fault where it is to happen to this request, which is then counted. */
    take<Name extends FaultName>(name: Name, request: { verb: Verb; resource: Resource | null }) {
      const fault = armed.find(
        (candidate) =>
          candidate.name === name &&
          candidate.left > 0 &&
          (candidate.aim.verb ?? request.verb) === request.verb &&
          (candidate.aim.resource ?? request.resource) === request.resource,
      );
      if (!fault) return null;
      fault.left -= 1;
      counts.set(name, (counts.get(name) ?? 0) + 1);
      return fault.options as FaultOptions[Name];
    },
  };
}
