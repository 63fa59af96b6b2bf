import { Session } from 'node:inspector';
import process from 'node:process';
import { ownMethods } from '../realm/own-methods.js';

/**
 * Makes `process.exit` end the step that calls it, instead of the kernel. As in a process, no code of the step runs after the call, not
 * even a `finally`. The state stays, so handlers for the end of the process do not run.
 */
export function provideExit(scopes) {
  let onExit = () => {};
  const session = ownMethods(new Session());

  /** Ends all JavaScript that is running, up to the event loop. */
  const stopRunning = () => {
    session.connect();
    session.post('Runtime.terminateExecution', () => session.disconnect());
    for (;;);
  };

  const exit = (code) => {
    onExit(scopes.current(), exitCodeOf(code));
    stopRunning();
  };
  Object.defineProperty(exit, 'name', { value: 'exit' });
  Object.defineProperty(process, 'exit', { value: exit, writable: true, configurable: true, enumerable: true });
  return {
    /** Calls `listener(scope, exitCode)` when code of a step's scope exits. */
    onExit(listener) {
      onExit = listener;
    },
  };
}

/** Returns 0 to 255. @throws TypeError that Node throws if the code is not an integer */
function exitCodeOf(code) {
  const before = process.exitCode;
  if (code !== undefined) process.exitCode = code;
  const exitCode = Number(process.exitCode ?? 0) & 0xff;
  process.exitCode = before;
  return exitCode;
}
