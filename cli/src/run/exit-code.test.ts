import { expect, test } from 'vitest';
import { exitCodeOf, processExitCode } from './exit-code.ts';

test.each([
  [{ status: 'succeeded' }, 0],
  [{ status: 'failed' }, 1],
  [{ status: 'failed', exitCode: 3 }, 3],
  [{ status: 'succeeded', exitCode: 0 }, 0],
  [{ status: 'failed', exitCode: -1 }, 255],
  [{ status: 'interrupted' }, 130],
  [{ status: 'timed_out' }, 124],
  [{ status: 'lost' }, 1],
] as const)('a step that is %j gives %i', (step, code) => {
  expect(exitCodeOf(step)).toBe(code);
});

test.each([
  [{ status: 'exited', exitCode: 4, signal: null }, 4],
  [{ status: 'signalled', exitCode: null, signal: 'SIGKILL' }, 137],
  [{ status: 'timed_out', exitCode: null, signal: 'SIGKILL' }, 124],
  [{ status: 'lost', exitCode: null, signal: null }, 1],
] as const)('a process that is %j gives %i', (record, code) => {
  expect(processExitCode(record)).toBe(code);
});
