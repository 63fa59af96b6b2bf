#!/usr/bin/env node
import { describeFailure } from './failures/describe-failure.ts';
import { note } from './output/progress.ts';
import { createProgram } from './program.ts';
import { isReaderGone } from './run/stops.ts';

// A reader such as `head` leaves when it has seen enough. Commands that have to clean up listen, too.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (!isReaderGone(error)) {
    process.stderr.write(`holdfast: stdout: ${error.message}\n`);
    process.exit(1);
  }
  if (process.stdout.listenerCount('error') === 1) process.exit(141);
});
// Data still goes to stdout.
process.stderr.on('error', (error) => {
  if (!isReaderGone(error)) throw error;
});

try {
  await createProgram().parseAsync();
} catch (error) {
  const { line, exitCode } = describeFailure(error);
  if (line !== undefined) note(`holdfast: ${line}`);
  process.exitCode = exitCode;
}
