import { expect, test } from 'vitest';
import { doneOf } from './done-of.ts';

const execution = { contextEpoch: 1, executionCount: 2, durationMs: 3 };
const ended = (status: 'succeeded' | 'failed' | 'interrupted') => ({ status, streamIncomplete: false });
const died = { status: 'died', streamIncomplete: true, cause: { code: 'oom_killed' } } as const;

test('a step that ends by itself says what its kernel said', () => {
  for (const status of ['succeeded', 'failed', 'interrupted'] as const) {
    expect(doneOf(execution, ended(status), null)).toEqual({ ...execution, status, stateSurvived: true, cause: null });
  }
});

test('a step whose kernel died has failed with the cause and without its state', () => {
  expect(doneOf(execution, died, null)).toEqual({
    ...execution,
    status: 'failed',
    stateSurvived: false,
    cause: { code: 'oom_killed' },
    streamIncomplete: true,
  });
});

test('a step that was stopped says why, however its code ended', () => {
  const timeout = { code: 'timeout' } as const;
  expect(doneOf(execution, ended('succeeded'), timeout)).toMatchObject({ status: 'timed_out', cause: timeout });
  expect(doneOf(execution, died, timeout)).toMatchObject({ status: 'timed_out', stateSurvived: false, cause: timeout });
  expect(doneOf(execution, ended('failed'), { code: 'interrupt' })).toMatchObject({ status: 'interrupted' });
});
