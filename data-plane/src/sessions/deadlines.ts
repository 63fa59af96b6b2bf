import type { EndReason, SessionStatus } from '@holdfast/specs/public';
import type { Deadline } from '../registry/sessions/deadline-conditions.ts';
import type { TerminalStatus } from './status.ts';

type EndRule = {
  from: readonly SessionStatus[];
  to: TerminalStatus;
  reason: EndReason;
  message?: string;
};

type Rule = EndRule | { from: readonly SessionStatus[]; act: 'recover' | 'pause' | 'stay' };

/**
 * The deadlines of a session: each ends a session in one of some statuses, or moves it on. If several have passed, the first in this order counts.
 * All go by the database's clock; the registry has the condition of each as SQL.
 */
export const deadlines: Record<Deadline, Rule> = {
  /** The start of the sandbox takes longer than allowed. Column `start_deadline_at`, set when the session is inserted. */
  start: { from: ['creating'], to: 'failed', reason: 'sandbox_start_timeout' },
  /** A recovery takes longer than a start may take, or its replica is gone: it begins again with a new sandbox. */
  recovery: { from: ['recovering', 'resuming'], act: 'recover' },
  /** A pause takes longer than it may, or its replica is gone: the session stays active. */
  pause: { from: ['pausing'], act: 'stay' },
  /**
   * The replica that was starting the sandbox is gone, and no client can repeat the request: it came without an `Idempotency-Key`, so
   * its caller never learns the session's id.
   */
  abandoned: {
    from: ['creating'],
    to: 'failed',
    reason: 'sandbox_start_failed',
    message: 'the data-plane that was starting the sandbox is gone',
  },
  /** The session was made for one job (`job_id`), and that job has ended. */
  jobEnded: { from: ['active', 'budget_exceeded'], to: 'completed', reason: 'job_ended' },
  /** The session is older than its `timeout_seconds`, counted from `created_at`. */
  age: { from: ['active', 'budget_exceeded', 'lost', 'paused'], to: 'expired', reason: 'max_age' },
  /**
   * The idle timeout: nothing has happened for `idle_timeout_seconds` since `last_activity_at`, and no step is running. A running
   * step counts as activity, and so do a process with a timeout, a reader of a process, and an upload.
   */
  idle: { from: ['active', 'budget_exceeded', 'lost'], to: 'expired', reason: 'idle_timeout' },
  /** The same for a session with `on_idle` `pause`. */
  idlePause: { from: ['active', 'budget_exceeded'], act: 'pause' },
};

/** The deadline that ends a session of this status, of those that have passed; null if none of them does. Pure. */
export function firstDeadline(status: SessionStatus, passed: readonly Deadline[]): Deadline | null {
  const inOrder = Object.keys(deadlines) as Deadline[];
  return inOrder.find((deadline) => passed.includes(deadline) && deadlines[deadline].from.includes(status)) ?? null;
}

/**
 * A session's start deadline lies this many seconds after the time a start may take: the replica that starts the session also ends
 * it when the start fails, and knows why. The deadline is for a replica that cannot.
 */
export const startGraceSeconds = 15;
