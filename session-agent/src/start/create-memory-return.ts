import { collectGarbage } from '../collect-garbage.ts';

/** The idle time before a collection, so that it disturbs neither the first work of a new sandbox nor a series of requests. */
const idleMs = 1000;
/** A collection takes about ten milliseconds, so it is done only after this many requests. */
const idleRequestsMin = 100;
/** Under load, a collection after this many requests; otherwise the C library's heap becomes too fragmented to be returned. */
const busyRequestsMax = 2000;

/**
 * Collects the garbage from loading the program and serving requests, a third of an idle agent's memory. By itself V8 would wait until as
 * much memory again is allocated, which an idle agent never does. Call `countRequest` on each request. `onReturned` is called after each
 * collection.
 */
export function createMemoryReturn({ onReturned }: { onReturned: () => void }): { countRequest: () => void } {
  let requests = idleRequestsMin;
  const timer = setTimeout(() => {
    if (requests < idleRequestsMin) return;
    requests = 0;
    collectGarbage({ type: 'major', flavor: 'last-resort' });
    onReturned();
  }, idleMs).unref();

  return {
    countRequest() {
      timer.refresh();
      requests += 1;
      if (requests % busyRequestsMax === 0) setImmediate(collectGarbage, { type: 'major' });
    },
  };
}
