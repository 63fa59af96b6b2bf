import { collectGarbage } from '../collect-garbage.ts';
import { SharedTimer } from '../steps/shared-timer.ts';

/** Loading the program is over then, and a sandbox that waits for its session is still waiting. */
const startMs = 1000;
/** The idle time before a later collection. Longer ones keep compiled code through longer pauses, and an idle agent large for as long. */
const idleMs = 2000;
/** A collection drops compiled code, and the next thousand steps take a quarter more CPU, so it is done only after this many requests. */
const idleRequestsMin = 1000;
/** Under load, a collection after this many requests; otherwise the C library's heap becomes too fragmented to be returned. */
const busyRequestsMax = 2000;

/**
 * Collects the garbage from loading the program and serving requests, a third of an idle agent's memory. By itself V8 would wait until as
 * much memory again is allocated, which an idle agent never does. Call `countRequest` on each request. `onReturned` is called after each
 * collection.
 */
export function createMemoryReturn({ onReturned }: { onReturned: () => void }): { countRequest: () => void } {
  let requests = 0;
  const returnMemory = () => {
    requests = 0;
    collectGarbage({ type: 'major', flavor: 'last-resort' });
    onReturned();
  };
  // It does not wait for an idle moment: the earlier it comes, the less compiled code of requests it drops.
  setTimeout(returnMemory, startMs).unref();
  const idle = new SharedTimer();
  const returnIfBusy = () => {
    if (requests >= idleRequestsMin) returnMemory();
  };

  return {
    countRequest() {
      idle.set(returnIfBusy, idleMs);
      requests += 1;
      if (requests % busyRequestsMax === 0) setImmediate(collectGarbage, { type: 'major' });
    },
  };
}
