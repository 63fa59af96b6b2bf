import { type SessionStatus, sessionStatuses } from '@holdfast/specs/public';
import { expect, test } from 'vitest';
import { liveStatuses } from '../registry/sessions/live-statuses.ts';
import { deadlines } from './deadlines.ts';
import { hasSandbox, isKnownStatus, isTerminal, mayFollow } from './status.ts';

const statusesBefore = (to: (typeof sessionStatuses)[number]) => sessionStatuses.filter((from) => mayFollow(from, to));

const waiting = ['creating', 'recovering', 'pausing', 'resuming'] as const;

test('a session becomes active from the statuses in which it waits for a sandbox, from a pause that was not finished, and when its budget is raised', () => {
  expect(new Set(statusesBefore('active'))).toEqual(new Set([...waiting, 'budget_exceeded']));
});

test('a session that has or gets a sandbox may have used up its budget', () => {
  expect(new Set(statusesBefore('budget_exceeded'))).toEqual(new Set([...waiting, 'active']));
});

test('every status that follows another status of a session with a sandbox follows both of them', () => {
  const others = sessionStatuses.filter((status) => !hasSandbox(status));
  for (const to of others) expect(mayFollow('budget_exceeded', to)).toBe(mayFollow('active', to));
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
const nextOf = (status: SessionStatus) => (status in next ? next[status as keyof typeof next] : status);
const next = { pausing: 'active', active: 'pausing', budget_exceeded: 'pausing' } as const;

test('a deadline leads from its status to one that may follow it', () => {
  for (const rule of Object.values(deadlines)) {
    for (const status of rule.from) expect(mayFollow(status, 'to' in rule ? rule.to : nextOf(status))).toBe(true);
  }
});

test('a status that the table does not list is unknown', () => {
  expect(sessionStatuses.every(isKnownStatus)).toBe(true);
  expect(['hibernating', 'toString'].some(isKnownStatus)).toBe(false);
});
