import { expect, test } from 'vitest';
import { jobResult } from './step-view.ts';

const program = { filename: 'main.py', args: ['a'] };

test.each([
  ['succeeded', null, { exitCode: 0, signal: null, timedOut: false }],
  ['failed', { code: 'process_exited', exitCode: 3 }, { exitCode: 3, signal: null, timedOut: false }],
  ['failed', { code: 'process_exited', signal: 'SIGSEGV' }, { exitCode: null, signal: 'SIGSEGV', timedOut: false }],
  ['timed_out', { code: 'timeout', signal: 'SIGKILL' }, { exitCode: null, signal: 'SIGKILL', timedOut: true }],
  ['lost', { code: 'sandbox_lost' }, { exitCode: null, signal: null, timedOut: false }],
  ['running', null, { exitCode: null, signal: null, timedOut: false }],
] as const)(
  'the result of a job that is %s with the cause %j says how its process ended',
  (status, cause, expected) => {
    expect(jobResult(program, { status, cause })).toEqual({ ...program, ...expected });
  },
);
