import { AsyncLocalStorage } from 'node:async_hooks';
import { keepMethods } from './keep-methods.js';

const timersBeforeSweep = 256;
// As they are before any step can replace them.
const { clearImmediate, clearTimeout, queueMicrotask } = globalThis;
const { apply } = Reflect;
const { add, delete: remove, forEach } = Set.prototype;
const sizeOf = Object.getOwnPropertyDescriptor(Set.prototype, 'size').get;

/**
 * Says which step a piece of code belongs to, also after its `await`s and in its callbacks. A step that is abandoned can go
 * on by no timer and print nothing, so that it does not show up in the steps after it.
 */
export function createStepScopes() {
  const storage = keepMethods(new AsyncLocalStorage());
  let latest;

  return {
    open({ stepId, stdin }) {
      const timers = new Set();
      latest = {
        stepId,
        takesInput: stdin === true,
        isAbandoned: false,
        hasEnded: false,
        timers,
        sweepAt: timersBeforeSweep,
      };
      return latest;
    },
    run: (scope, evaluate) => storage.run(scope, evaluate),
    /** The scope of the code that runs, or undefined outside of all steps. */
    current: () => storage.getStore(),
    /** The scope of the step that runs or, between steps, has run last. */
    latest: () => latest,

    /** Keeps a timer of the running step, so that it can be cleared. */
    keep(timer) {
      const scope = storage.getStore();
      if (!scope) return;
      if (scope.isAbandoned) queueMicrotask(() => clear(timer));
      else if (scope.timers) keepIn(scope, timer);
    },

    /** The step has ended by itself: its timers go on. */
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

/** Timers that have fired are let go from time to time, as a step may wait in a loop for days. */
function keepIn(scope, timer) {
  const { timers } = scope;
  apply(add, timers, [timer]);
  if (apply(sizeOf, timers, []) < scope.sweepAt) return;
  const letGo = (kept) => kept._destroyed && apply(remove, timers, [kept]);
  apply(forEach, timers, [letGo]);
  scope.sweepAt = Math.max(timersBeforeSweep, 2 * apply(sizeOf, timers, []));
}

/** Unreferenced timers stay: libraries keep house with them, and share them among steps (`fetch` does). */
function clear(timer) {
  if (!timer.hasRef()) return;
  if ('refresh' in timer) clearTimeout(timer);
  else clearImmediate(timer);
}
