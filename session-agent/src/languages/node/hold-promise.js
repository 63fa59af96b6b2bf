import { promiseHooks } from 'node:v8';

const held = new Set();

/**
 * Keeps the next promise that is made, which is the evaluation's own, until it is let go. The inspector answers from
 * within the garbage collector where that promise is collected unsettled, and to call us from there aborts the process.
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
