import { expect, test } from 'vitest';
import { stepOutcome } from './step-outcome.ts';

const numbers = { contextEpoch: 1, executionCount: 2, durationMs: 3 };
const execution = { ...numbers, isReplaced: false };
const ended = (status: 'succeeded' | 'failed' | 'interrupted') => ({ status, streamIncomplete: false });
const died = { status: 'died', streamIncomplete: true, cause: { code: 'oom_killed' } } as const;

test('reports the status of the kernel for a step that ends by itself', () => {
  for (const status of ['succeeded', 'failed', 'interrupted'] as const) {
    expect(stepOutcome(execution, ended(status), null)).toEqual({
      ...numbers,
      status,
      stateSurvived: true,
      cause: null,
    });
  }
});

test('reports a step whose kernel died as failed, with the cause and without its state', () => {
  expect(stepOutcome(execution, died, null)).toEqual({
    ...numbers,
    status: 'failed',
    stateSurvived: false,
    cause: { code: 'oom_killed' },
    streamIncomplete: true,
  });
});

test('reports why a step was stopped, however its code ended', () => {
  const timeout = { code: 'timeout' } as const;
  expect(stepOutcome(execution, ended('succeeded'), timeout)).toMatchObject({ status: 'timed_out', cause: timeout });
  expect(stepOutcome(execution, died, timeout)).toMatchObject({
    status: 'timed_out',
    stateSurvived: false,
    cause: timeout,
  });
  expect(stepOutcome(execution, ended('failed'), { code: 'interrupt' })).toMatchObject({ status: 'interrupted' });
});

test('reports that the state is lost if the kernel was replaced after the step', () => {
  const timeout = { code: 'timeout' } as const;
  expect(stepOutcome({ ...numbers, isReplaced: true }, ended('interrupted'), timeout)).toMatchObject({
    status: 'timed_out',
    stateSurvived: false,
  });
});
