import { collectGarbage } from '../collect-garbage.ts';

/** After the work that a new sandbox is wanted for at once, and after the last request of many. */
const idleMs = 1000;
/** A collection takes some ten milliseconds, which fewer requests are not worth. */
const idleRequestsMin = 100;
/** Under load: beyond, what waits to be collected would leave the C library's heap in pieces that are never given back. */
const busyRequestsMax = 2000;

/**
 * Collects what loading the program and serving requests have left behind, a third of an idle agent's memory. V8 would keep it until as
 * much again has been allocated, which an idle agent never does. Call `used` at each request.
 */
export function createMemoryReturn(): { used: () => void } {
  let requests = idleRequestsMin;
  const timer = setTimeout(() => {
    if (requests < idleRequestsMin) return;
    requests = 0;
    collectGarbage({ type: 'major', flavor: 'last-resort' });
  }, idleMs).unref();

  return {
    used() {
      timer.refresh();
      requests += 1;
      if (requests % busyRequestsMax === 0) setImmediate(collectGarbage, { type: 'major' });
    },
  };
}
