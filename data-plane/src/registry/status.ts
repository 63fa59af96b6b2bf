import type { SessionStatus } from '@holdfast/specs/public';

/** Which status may follow which. The registry turns it into the conditions of its transitions. */
const next = {
  creating: ['active', 'completed', 'aborted', 'expired', 'failed'],
  active: ['completed', 'aborted', 'expired', 'failed'],
  completed: [],
  aborted: [],
  expired: [],
  failed: [],
} as const satisfies Record<SessionStatus, readonly SessionStatus[]>;

const statuses = Object.keys(next) as SessionStatus[];

/** The statuses that nothing follows. */
export type TerminalStatus = {
  [Status in SessionStatus]: (typeof next)[Status] extends readonly [] ? Status : never;
}[SessionStatus];

export const isTerminal = (status: SessionStatus): status is TerminalStatus => next[status].length === 0;

export const mayFollow = (from: SessionStatus, to: SessionStatus): boolean =>
  (next[from] as readonly SessionStatus[]).includes(to);

/** The statuses from which `to` is reached. */
export const statusesBefore = (to: SessionStatus): SessionStatus[] => statuses.filter((from) => mayFollow(from, to));

/** The statuses in which a session counts as running. */
export const liveStatuses: SessionStatus[] = statuses.filter((status) => !isTerminal(status));
