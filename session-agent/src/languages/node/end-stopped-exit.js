import process from 'node:process';

const exit = process.reallyExit.bind(process);

/** Ends the process where `process.exit` was called and a handler has failed in it: Node runs no callbacks any more then. */
export function endStoppedExit() {
  if (process._exiting) exit(process.exitCode ?? 1);
}
