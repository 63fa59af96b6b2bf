import { AsyncLocalStorage } from 'node:async_hooks';

const timersBeforeSweep = 256;
// As they are before any step can replace them.
const { clearImmediate, clearTimeout } = globalThis;

/**
 * Says which step a piece of code belongs to, also after its `await`s and in its callbacks. A step that is abandoned can go
 * on by no timer and print nothing, so that it does not show up in the steps after it.
 */
export function createStepScopes() {
  const storage = new AsyncLocalStorage();

  return {
    open: () => ({ isAbandoned: false, timers: new Set(), sweepAt: timersBeforeSweep }),
    run: (scope, evaluate) => storage.run(scope, evaluate),
    /** The scope of the code that runs, or undefined outside of all steps. */
    current: () => storage.getStore(),

    /** Keeps a timer of the running step, so that it can be cleared. */
    keep(timer) {
      const scope = storage.getStore();
      if (!scope) return;
      if (scope.isAbandoned) queueMicrotask(() => clear(timer));
      else if (scope.timers) keepIn(scope, timer);
    },

    /** The step has ended by itself: its timers go on. */
    close(scope) {
      scope.timers = null;
    },

    abandon(scope) {
      scope.isAbandoned = true;
      for (const timer of scope.timers ?? []) clear(timer);
      scope.timers = null;
    },
  };
}

/** Timers that have fired are let go from time to time, as a step may wait in a loop for days. */
function keepIn(scope, timer) {
  const { timers } = scope;
  timers.add(timer);
  if (timers.size < scope.sweepAt) return;
  for (const kept of timers) if (kept._destroyed) timers.delete(kept);
  scope.sweepAt = Math.max(timersBeforeSweep, 2 * timers.size);
}

/** Unreferenced timers stay: libraries keep house with them, and share them among steps (`fetch` does). */
function clear(timer) {
  if (!timer.hasRef()) return;
  if ('refresh' in timer) clearTimeout(timer);
  else clearImmediate(timer);
}
