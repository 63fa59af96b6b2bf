import { sessionStatuses } from '@holdfast/specs/public';
import { expect, test } from 'vitest';
import { isTerminal, liveStatuses, mayFollow, statusesBefore } from './status.ts';

test('a session becomes active from creating alone', () => {
  expect(statusesBefore('active')).toEqual(['creating']);
});

test.each(['completed', 'aborted', 'expired', 'failed'] as const)('%s is reached from both live statuses', (to) => {
  expect(statusesBefore(to)).toEqual(['creating', 'active']);
});

test('nothing follows a terminal status, and something follows every other', () => {
  for (const from of sessionStatuses) {
    expect(sessionStatuses.some((to) => mayFollow(from, to))).toBe(!isTerminal(from));
  }
  expect(liveStatuses).toEqual(['creating', 'active']);
});
