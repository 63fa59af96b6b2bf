#!/usr/bin/env node
import { describeFailure } from './failures/describe-failure.ts';
import { createProgram } from './program.ts';

// A reader such as `head` leaves when it has seen enough. Commands that have to clean up listen, too.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  if (process.stdout.listenerCount('error') === 1) process.exit(141);
});

try {
  await createProgram().parseAsync();
} catch (error) {
  const { line, exitCode } = describeFailure(error);
  if (line !== undefined) process.stderr.write(`holdfast: ${line}\n`);
  process.exitCode = exitCode;
}
