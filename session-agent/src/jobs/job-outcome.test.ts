import { expect, test } from 'vitest';
import { jobOutcome } from './job-outcome.ts';

const exited = (exitCode: number) => ({ exitCode, signal: null });
const killed = { exitCode: null, signal: 'SIGKILL' };
const timeout = { code: 'timeout' } as const;

test.for([
  ['an exit with 0', exited(0), null, false, 'succeeded', null],
  ['an exit with 2', exited(2), null, false, 'failed', { code: 'process_exited', exitCode: 2 }],
  ['a signal', killed, null, false, 'failed', { code: 'process_exited', signal: 'SIGKILL' }],
  ['SIGKILL while memory ran out', killed, null, true, 'failed', { code: 'oom_killed', signal: 'SIGKILL' }],
  ['an exit while something else ran out of memory', exited(0), null, true, 'succeeded', null],
  ['an exit after the timeout', exited(0), timeout, false, 'timed_out', { code: 'timeout', exitCode: 0 }],
  ['the end of the session', killed, { code: 'session_ended' }, false, 'interrupted', { signal: 'SIGKILL' }],
  ['a limit', { ...killed, exceeded: 'cpu' }, null, true, 'failed', { code: 'cpu_limit', signal: 'SIGKILL' }],
  [
    'a file that became too large',
    { exitCode: null, signal: 'SIGXFSZ' },
    null,
    false,
    'failed',
    { code: 'file_limit' },
  ],
  [
    'a start that failed',
    { exitCode: null, signal: null, fault: 'E2BIG' },
    null,
    false,
    'failed',
    { code: 'never_started' },
  ],
] as const)('reports %s', ([, end, stopped, oomKilled, status, cause]) => {
  const done = jobOutcome({ end, stopped, oomKilled, limits: { fileMb: 1 } }, { durationMs: 1 });
  expect(done.status).toBe(status);
  expect(done.cause).toEqual(cause && expect.objectContaining(cause));
});
