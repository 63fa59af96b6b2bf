import { AsyncLocalStorage } from 'node:async_hooks';
import { ownMethods } from '../realm/own-methods.js';

const timersBeforeSweep = 256;
// Taken before any step can replace them.
const { clearImmediate, clearTimeout, queueMicrotask } = globalThis;
const { apply } = Reflect;
const { add, delete: remove, forEach } = Set.prototype;
const sizeOf = Object.getOwnPropertyDescriptor(Set.prototype, 'size').get;

/**
 * Tells which step a piece of code belongs to, also after its `await`s and in its callbacks. The timers of an abandoned step are
 * cleared and its output is dropped, so that later steps do not see it.
 */
export function createStepScopes() {
  const storage = ownMethods(new AsyncLocalStorage());
  let latest;

  return {
    /** `isSilent`: its late output is dropped. */
    open({ stepId, stdin, isSilent = false }) {
      const timers = new Set();
      latest = {
        stepId,
        takesInput: stdin === true,
        isAbandoned: false,
        isSilent,
        hasEnded: false,
        timers,
        sweepAt: timersBeforeSweep,
      };
      return latest;
    },
    run: (scope, evaluate) => storage.run(scope, evaluate),
    /** Returns the scope of the code that runs, or undefined outside of all steps. */
    current: () => storage.getStore(),
    /** Returns the scope of the step that runs or, between steps, has run last. */
    latest: () => latest,

    /** Adds a timer to the current scope, so that it can be cleared. */
    add(timer) {
      const scope = storage.getStore();
      if (!scope) return;
      if (scope.isAbandoned) queueMicrotask(() => clear(timer));
      else if (scope.timers) addTo(scope, timer);
    },

    /** Call when a step has ended by itself. Its timers go on. */
    close(scope) {
      scope.hasEnded = true;
      scope.timers = null;
    },

    abandon(scope) {
      scope.hasEnded = true;
      scope.isAbandoned = true;
      if (scope.timers) apply(forEach, scope.timers, [clear]);
      scope.timers = null;
    },
  };
}

/** Drops timers that have fired from time to time, as a step may wait in a loop for days. */
function addTo(scope, timer) {
  const { timers } = scope;
  apply(add, timers, [timer]);
  if (apply(sizeOf, timers, []) < scope.sweepAt) return;
  const dropFired = (known) => known._destroyed && apply(remove, timers, [known]);
  apply(forEach, timers, [dropFired]);
  scope.sweepAt = Math.max(timersBeforeSweep, 2 * apply(sizeOf, timers, []));
}

/** Clears a timer unless it is unreferenced: libraries clean up with such timers and share them among steps (`fetch` does). */
function clear(timer) {
  if (!timer.hasRef()) return;
  if ('refresh' in timer) clearTimeout(timer);
  else clearImmediate(timer);
}
