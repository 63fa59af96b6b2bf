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

/** The statuses of a session that has its sandbox. A session that may spend nothing more keeps it, and only its steps are refused. */
export const boundStatuses = ['active', 'budget_exceeded'] as const satisfies readonly SessionStatus[];

export type EndedStatus = Exclude<SessionStatus, (typeof liveStatuses)[number]>;

/** The statuses of an ended session. One that this version does not know is not among them: a newer replica looks after the session. */
export const endedStatuses = sessionStatuses.filter(
  (status): status is EndedStatus => !liveStatuses.some((live) => live === status),
);

/**
 * The status of a session that has a sandbox, as an expression of SQL. It locks the budget before the session is written, so that a charge
 * either counts here or finds the session.
 */
export const statusWithSandbox = `case
  when (select is_used_up from budgets where budgets.id = sessions.budget_of for share) then 'budget_exceeded' else 'active' end`;
