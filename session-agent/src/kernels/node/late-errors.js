import { describeError } from './describe-error.js';

/** Errors that nobody awaits are reported on stderr and survived: a timer that fails does not cost the session's state. */
export function reportLateErrors() {
  process.on('uncaughtException', (error) => report('Uncaught', error));
  process.on('unhandledRejection', (error) => report('Unhandled rejection:', error));
}

function report(what, error) {
  process.stderr.write(`${what} ${describeError(error).traceback.join('\n')}\n`);
}
