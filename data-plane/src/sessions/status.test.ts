import { type SessionStatus, sessionStatuses } from '@holdfast/specs/public';
import { expect, test } from 'vitest';
import { liveStatuses } from '../registry/sessions/live-statuses.ts';
import { deadlines } from './deadlines.ts';
import { isKnownStatus, isTerminal, mayFollow } from './status.ts';

const statusesBefore = (to: (typeof sessionStatuses)[number]) => sessionStatuses.filter((from) => mayFollow(from, to));

test('a session becomes active from the statuses in which it waits for a sandbox, and from a pause that was not finished', () => {
  expect(statusesBefore('active')).toEqual(['creating', 'recovering', 'pausing', 'resuming']);
});

test.each(['completed', 'aborted', 'expired', 'failed'] as const)('%s is reached from every live status', (to) => {
  expect(statusesBefore(to)).toEqual(liveStatuses);
});

test('nothing follows a terminal status, and something follows every other', () => {
  for (const from of sessionStatuses) {
    expect(sessionStatuses.some((to) => mayFollow(from, to))).toBe(!isTerminal(from));
  }
});

test('the registry counts exactly the statuses that are not terminal as live', () => {
  expect(liveStatuses).toEqual(sessionStatuses.filter((status) => !isTerminal(status)));
});

test('every status that is not at rest has a deadline, and a status at rest has none', () => {
  const statusesWithDeadline = new Set<string>(Object.values(deadlines).flatMap(({ from }) => from));
  for (const status of sessionStatuses) expect(statusesWithDeadline.has(status)).toBe(!isTerminal(status));
});

/** The next status of a session that its deadline does not end. */
const nextOf = (status: SessionStatus) => (status === 'pausing' || status === 'active' ? next[status] : status);
const next = { pausing: 'active', active: 'pausing' } as const;

test('a deadline leads from its status to one that may follow it', () => {
  for (const rule of Object.values(deadlines)) {
    for (const status of rule.from) expect(mayFollow(status, 'to' in rule ? rule.to : nextOf(status))).toBe(true);
  }
});

test('a status that the table does not list is unknown', () => {
  expect(sessionStatuses.every(isKnownStatus)).toBe(true);
  expect(['hibernating', 'toString'].some(isKnownStatus)).toBe(false);
});
