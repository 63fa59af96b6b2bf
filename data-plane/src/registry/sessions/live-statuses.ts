import { type SessionStatus, sessionStatuses } from '@holdfast/specs/public';

/** The statuses of a session that has not ended. `sessions/status.ts` has the whole table. */
export const liveStatuses = [
  'creating',
  'active',
  'budget_exceeded',
  'lost',
  'recovering',
  'pausing',
  'paused',
  'resuming',
] as const satisfies readonly SessionStatus[];

export type EndedStatus = Exclude<SessionStatus, (typeof liveStatuses)[number]>;

/** The statuses of an ended session. One that this version does not know is not among them: a newer replica looks after the session. */
export const endedStatuses = sessionStatuses.filter(
  (status): status is EndedStatus => !liveStatuses.some((live) => live === status),
);
