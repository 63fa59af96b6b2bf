import process from 'node:process';
import { describeError } from './describe-error.js';
import { endStoppedExit } from './end-stopped-exit.js';
import { keepMethods } from './visible/keep-methods.js';

/** Errors that nobody awaits are reported on stderr and survived: a timer that fails does not cost the session's state. */
export function reportLateErrors({ isFatalToStep }) {
  const stderr = keepMethods(process.stderr.write.bind(process.stderr));
  const report = (what, error) => {
    if (!isFatalToStep(error)) stderr(`${what} ${describeError(error).traceback.join('\n')}\n`);
    endStoppedExit();
  };
  const listeners = {
    uncaughtException: (error) => report('Uncaught', error),
    unhandledRejection: (error) => report('Unhandled rejection:', error),
  };
  return {
    /** Puts the listeners back where code has removed them. */
    listen() {
      for (const event of Object.keys(listeners)) {
        if (process.listenerCount(event, listeners[event]) === 0) process.on(event, listeners[event]);
      }
    },
  };
}
