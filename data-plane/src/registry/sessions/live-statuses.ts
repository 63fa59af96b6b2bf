import type { SessionStatus } from '@holdfast/specs/public';

/** The statuses of a session that has not ended, in the words of the index `sessions_live`. `sessions/status.ts` has the whole table. */
export const liveStatuses = ['creating', 'active'] as const satisfies readonly SessionStatus[];

export type EndedStatus = Exclude<SessionStatus, (typeof liveStatuses)[number]>;
