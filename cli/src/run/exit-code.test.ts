import { expect, test } from 'vitest';
import { exitCodeOf, exitCodeOfJob, exitCodeOfProcess } from './exit-code.ts';

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
  [{ status: 'exited', exitCode: 4, signal: null, cause: null }, 4],
  [{ status: 'signalled', exitCode: null, signal: 'SIGKILL', cause: null }, 137],
  [{ status: 'timed_out', exitCode: null, signal: 'SIGKILL', cause: null }, 124],
] as const)('a process that is %j gives %i', (record, code) => {
  expect(exitCodeOfProcess(record)).toBe(code);
});

test('a process that was lost is a failure with its cause', () => {
  const cause = { code: 'oom_killed', message: 'the sandbox ran out of memory' } as const;
  expect(() => exitCodeOfProcess({ status: 'lost', exitCode: null, signal: null, cause })).toThrow('out of memory');
});

test.each([
  [{ timedOut: false, exitCode: 4, signal: null }, 4],
  [{ timedOut: false, exitCode: null, signal: 'SIGINT' }, 130],
  [{ timedOut: true, exitCode: null, signal: 'SIGKILL' }, 124],
  [{ timedOut: false, exitCode: null, signal: null }, 1],
])('the exit code of the job %j is %i', (job, code) => {
  expect(exitCodeOfJob(job)).toBe(code);
});
