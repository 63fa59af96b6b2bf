import { encodeFrame } from '@holdfast/specs/agent';
import { expect, test } from 'vitest';
import { jobResult, type StepState, stepView, type ViewedStart } from './step-view.ts';

test('an update gives the results before it another content, and a result behind it keeps its own', () => {
  const frames = [
    ['result', { displayId: 'bar', data: { 'text/plain': '0 %' }, isMain: false, metadata: {} }],
    ['result', { data: { 'text/plain': 'other' }, isMain: false, metadata: {} }],
    ['result_update', { displayId: 'bar', data: { 'text/plain': '50 %' }, metadata: {} }],
    ['result_update', { displayId: 'bar', data: { 'text/html': '100 %' }, metadata: { a: 1 } }],
    ['result', { displayId: 'bar', data: { 'text/plain': 'again' }, isMain: true, metadata: {} }],
    ['result_update', { displayId: 'of an earlier step', data: {}, metadata: {} }],
  ] as const;
  const start = { id: 'stp_1', queuedAt: new Date(0), job: null } as unknown as ViewedStart;
  const encoded = frames.map(([type, payload], index) => encodeFrame(type, index + 1, payload));
  const { results } = stepView(start, { exitCode: null } as unknown as StepState, encoded);
  expect(results).toEqual([
    { displayId: 'bar', data: { 'text/html': '100 %' }, isMain: false, metadata: { a: 1 } },
    { data: { 'text/plain': 'other' }, isMain: false, metadata: {} },
    { displayId: 'bar', data: { 'text/plain': 'again' }, isMain: true, metadata: {} },
  ]);
});

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
