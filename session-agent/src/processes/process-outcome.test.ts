import { expect, test } from 'vitest';
import { processOutcome } from './process-outcome.ts';

const usage = { cpuSeconds: 1, memoryBytesMax: 1 };
const exited = (exitCode: number) => ({ exitCode, signal: null, usage });
const killed = { exitCode: null, signal: 'SIGKILL', usage };
const unknown = { exitCode: null, signal: null, usage: null };

test.for([
  ['an exit with 2', exited(2), null, false, 'exited', null],
  ['a signal', killed, null, false, 'signalled', null],
  ['SIGKILL while memory ran out', killed, null, true, 'signalled', { code: 'oom_killed' }],
  ['an exit while something else ran out of memory', exited(0), null, true, 'exited', null],
  ['an exit after the timeout', exited(0), { code: 'timeout' }, false, 'timed_out', { code: 'timeout' }],
  ['the end of the session', killed, { code: 'session_ended' }, false, 'signalled', { code: 'session_ended' }],
  ['an end of which nothing is known', unknown, null, false, 'exited', null],
] as const)('reports %s', ([, end, stopped, oomKilled, status, cause]) => {
  const measured = { durationMs: 1, stdoutBytes: 0, stderrBytes: 0, outputIncomplete: false };
  const done = processOutcome({ end, stopped, oomKilled }, measured);
  expect(done).toMatchObject({ ...measured, status, exitCode: end.exitCode, signal: end.signal });
  expect(done.cause).toEqual(cause && expect.objectContaining(cause));
});
