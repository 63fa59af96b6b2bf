import process from 'node:process';
import { ownMethods } from '../realm/own-methods.js';
import { describeError } from '../show/describe-error.js';

/** Reports errors that no code awaits on stderr, and goes on: a timer that fails does not cost the session its state. */
export function reportLateErrors({ isFatalToStep }) {
  const stderr = ownMethods(process.stderr.write.bind(process.stderr));
  const report = (what, error) => {
    if (!isFatalToStep(error)) stderr(`${what} ${describeError(error).traceback.join('\n')}\n`);
  };
  const listeners = {
    uncaughtException: (error) => report('Uncaught', error),
    unhandledRejection: (error) => report('Unhandled rejection:', error),
  };
  return {
    /** Puts the listeners back if code has removed them. */
    listen() {
      for (const event of Object.keys(listeners)) {
        if (process.listenerCount(event, listeners[event]) === 0) process.on(event, listeners[event]);
      }
    },
  };
}
