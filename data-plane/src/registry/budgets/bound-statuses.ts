import type { SessionStatus } from '@holdfast/specs/public';

/** The statuses of a session that has its sandbox. A session that may spend nothing more keeps it, and only its steps are refused. */
export const boundStatuses = ['active', 'budget_exceeded'] as const satisfies readonly SessionStatus[];

/**
 * The status of a session that has a sandbox, as an expression of SQL. It locks the budget before the session is written, so that a charge
 * either counts here or finds the session.
 */
export const statusWithSandbox = `case
  when (select is_used_up from budgets where budgets.id = sessions.budget_of for share) then 'budget_exceeded' else 'active' end`;
