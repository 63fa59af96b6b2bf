import { promiseHooks } from 'node:v8';

const held = new Set();

/**
 * Holds a reference to the next promise, which is the evaluation's own, until the returned function is called. If that promise were
 * collected unsettled, the inspector would call back from within the garbage collector, which aborts the process.
 */
export function holdPromise() {
  let own;
  const stop = promiseHooks.onInit((promise) => {
    if (own !== undefined) return;
    own = promise;
    held.add(own);
    stop();
  });
  return () => {
    stop();
    held.delete(own);
  };
}
