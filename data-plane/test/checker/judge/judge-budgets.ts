import type { SessionEvidence, Violation } from './evidence.ts';

/**
 * Compares the steps of a session with the charges of its budget, which it shares with no other session. An amount that is still reserved counts
 * as charged. Pure.
 */
export function* judgeBudgets({ id, session, history }: SessionEvidence): Generator<Violation> {
  if (!session?.budget) return;
  const { used } = session.budget;
  const violation = (detail: string): Violation => ({ rule: 'a charge lost or doubled', sessionId: id, detail });
  const steps = history.filter(({ status, cause }) => !(status === 'lost' && cause?.code === 'never_started'));
  if (used.iterations !== steps.length) yield violation(`${used.iterations} iterations of ${steps.length} steps`);
  // A step that was stopped is charged for its timeout, which its record does not have.
  if (steps.some(({ status, durationMs }) => status === 'timed_out' || durationMs === null)) return;
  const seconds = steps.reduce((sum, { durationMs }) => sum + (durationMs ?? 0) / 1000, 0);
  if (Math.abs(used.timeSeconds - seconds) > 0.001) yield violation(`${used.timeSeconds} s of ${seconds} s`);
}
