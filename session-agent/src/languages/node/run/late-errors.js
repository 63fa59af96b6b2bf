import process from 'node:process';
import { ownMethods } from '../realm/own-methods.js';
import { apply } from '../realm/users-realm.js';
import { describeError } from '../show/describe-error.js';

// Taken before any step can replace them.
const { listenerCount, prependListener } = process;

/**
 * Reports errors that no code awaits on stderr, and goes on: a timer that fails does not cost the session its state. As in Node, an
 * error for which code has its own listener is not reported.
 */
export function reportLateErrors({ isFatalToStep }) {
  const stderr = ownMethods(process.stderr.write.bind(process.stderr));
  const isHandled = (event) => count(event) > 1;
  const report = (event, what, error) => {
    if (isFatalToStep(error) || isHandled(event)) return;
    stderr(`${what} ${describeError(error).traceback.join('\n')}\n`);
  };
  const listeners = {
    uncaughtException: (error) => report('uncaughtException', 'Uncaught', error),
    unhandledRejection: (error) => report('unhandledRejection', 'Unhandled rejection:', error),
  };
  return {
    /** Puts the listeners back if code has removed them. */
    listen() {
      // First, so that a listener that code has added for one time is still there.
      for (const event of Object.keys(listeners)) {
        if (count(event, listeners[event]) === 0) apply(prependListener, process, [event, listeners[event]]);
      }
    },
  };
}

function count(...args) {
  return apply(listenerCount, process, args);
}
