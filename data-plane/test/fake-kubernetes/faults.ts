import type { Resource } from './server/objects.ts';
import type { Verb } from './server/request.ts';

/** The faults that a test can cause, with their options. */
export type FaultOptions = {
  /** The server answers with this status, and with Retry-After if seconds are given. Nothing is applied. */
  refuse: { status: number; retryAfterSeconds?: number };
  /** The server answers late. */
  delay: { ms: number };
  /** The connection is reset; nothing is applied. */
  reset: object;
  /** The connection is reset after the request was applied. */
  loseAnswer: object;
  /** The next page of a list answers 410. */
  expireContinue: object;
  /** A new watch gets its head and then nothing, not even bookmarks or an end. */
  stallWatch: object;
  /** A watch event is not sent. */
  dropEvent: object;
  /** A watch event is sent twice. */
  duplicateEvent: object;
  /** The watch ends in the middle of an event's line. */
  truncateEvent: object;
};
export type FaultName = keyof FaultOptions;

/** The requests that a fault applies to. By default it applies to one request of any kind. */
type Aim = { verb?: Verb; resource?: Resource; times?: number };

export type Faults = ReturnType<typeof createFaults>;

/** Holds the faults that will happen and counts those that did, so that a test can prove them. */
export function createFaults() {
  const armed: { name: FaultName; left: number; aim: Aim; options: object }[] = [];
  const counts = new Map<FaultName, number>();

  return {
    /** From now on the fault applies to the next matching requests. Returns a function that disarms it. */
    arm<Name extends FaultName>(name: Name, { verb, resource, times = 1, ...options }: FaultOptions[Name] & Aim) {
      const fault = { name, left: times, aim: { ...(verb && { verb }), ...(resource && { resource }) }, options };
      armed.push(fault);
      return () => {
        fault.left = 0;
      };
    },
    /** How many times the fault happened. */
    happened: (name: FaultName): number => counts.get(name) ?? 0,
    /** If the fault applies to this request, counts it and returns its options; otherwise null. */
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
