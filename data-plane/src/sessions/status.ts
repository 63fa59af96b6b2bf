import type { SessionStatus } from '@holdfast/specs/public';

/**
 * Every status of a session and the statuses that may follow it. A status that nothing follows is terminal: the session is at rest.
 * Every other status has a deadline (see deadlines.ts). The registry repeats this table in the conditions of its statements, and
 * a test compares the two.
 */
const transitions = {
  creating: ['active', 'budget_exceeded', 'completed', 'aborted', 'expired', 'failed'],
  active: ['budget_exceeded', 'lost', 'recovering', 'pausing', 'completed', 'aborted', 'expired', 'failed'],
  budget_exceeded: ['active', 'lost', 'recovering', 'pausing', 'completed', 'aborted', 'expired', 'failed'],
  lost: ['recovering', 'completed', 'aborted', 'expired', 'failed'],
  recovering: ['active', 'budget_exceeded', 'recovering', 'completed', 'aborted', 'expired', 'failed'],
  pausing: ['active', 'budget_exceeded', 'paused', 'recovering', 'completed', 'aborted', 'expired', 'failed'],
  paused: ['resuming', 'completed', 'aborted', 'expired', 'failed'],
  resuming: ['active', 'budget_exceeded', 'resuming', 'paused', 'completed', 'aborted', 'expired', 'failed'],
  completed: [],
  aborted: [],
  expired: [],
  failed: [],
} as const satisfies Record<SessionStatus, readonly SessionStatus[]>;

export type TerminalStatus = {
  [Status in SessionStatus]: (typeof transitions)[Status] extends readonly [] ? Status : never;
}[SessionStatus];

/** During a rolling update a newer replica may have written a status that this one does not know. */
export const isKnownStatus = (status: string): status is SessionStatus => Object.hasOwn(transitions, status);

export const isTerminal = (status: SessionStatus): status is TerminalStatus => transitions[status].length === 0;

/** Whether a session of this status has its sandbox. */
export const hasSandbox = (status: SessionStatus | undefined): boolean =>
  status === 'active' || status === 'budget_exceeded';

export const mayFollow = (from: SessionStatus, to: SessionStatus): boolean =>
  (transitions[from] as readonly SessionStatus[]).includes(to);
