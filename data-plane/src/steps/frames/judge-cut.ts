import type { Done } from '@holdfast/specs/agent';
import type { Cause, EndReason } from '@holdfast/specs/public';
import { AgentError } from '../../agent/agent-error.ts';

/** How a step ended: as its agent reported, or as the data-plane had to conclude. */
export type StepEnd = Pick<Done, 'status' | 'stateSurvived' | 'durationMs' | 'cause'> | LostEnd;

export type LostEnd = { status: 'lost'; cause: Cause };

/** `condemned` is the reason for which the sandbox must be destroyed. */
type Verdict = 'not-started' | { end: LostEnd; condemned?: EndReason } | null;

/**
 * Decides what a failed stream of frames means for its step. Null: attaching again can tell more. Pure.
 *
 * `not-started` is the only verdict after which the client may send the same step again, so it needs proof: the first request never
 * reached the agent, or the agent refused it.
 *
 * @param attached whether the stream was an attempt to attach; otherwise it was the request that starts the step
 * @param isOverrun whether the watchdog ended the stream because the step ran past its deadline
 * @throws any error that is not an AgentError
 */
export function judgeCut(error: unknown, { attached, isOverrun }: { attached: boolean; isOverrun: boolean }): Verdict {
  if (isOverrun) return { end: lostEnd('overran', 'it ran past its deadline'), condemned: 'step_overran' };
  if (!(error instanceof AgentError)) throw error;
  const { kind, slug, message } = error;
  if (kind === 'invalid')
    return { end: lostEnd('sandbox_lost', `broken protocol: ${message}`), condemned: 'sandbox_lost' };
  if (kind === 'excessive') return { end: lostEnd('too_much_output', message), condemned: 'too_much_output' };
  if (kind === 'cut') return null;
  if (!attached) return kind === 'refused' && slug === 'step-repeated' ? null : 'not-started';
  if (kind === 'undelivered') return null;
  // Either the agent never saw the id, or an earlier attempt to attach burnt the id and its answer was lost.
  if (slug === 'not-found' || slug === 'step-repeated') return { end: lostEnd('never_started') };
  return { end: lostEnd('sandbox_lost', message), condemned: 'sandbox_lost' };
}

/** The end of a step about which nothing more can be learned. Pure. */
export const lostEnd = (code: Cause['code'], message?: string): LostEnd => ({
  status: 'lost',
  cause: message ? { code, message: message.slice(0, 2000) } : { code },
});
