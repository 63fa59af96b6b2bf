import type { Done } from '@holdfast/specs/agent';
import type { Cause, EndReason } from '@holdfast/specs/public';
import { AgentError } from '../../agent/agent-error.ts';

/** How a step ended: as its agent reported, or as the data-plane had to conclude. */
export type StepEnd = Pick<Done, 'status' | 'stateSurvived' | 'durationMs' | 'cause' | 'exitCode' | 'usage'> | LostEnd;

export type LostEnd = { status: 'lost'; cause: Cause };

type Verdict = 'not-started' | EndVerdict | null;

/** `condemned` is the reason for which the sandbox must be destroyed. */
export type EndVerdict = { end: LostEnd; condemned?: EndReason };

type Stream = {
  /** Whether it was an attempt to attach; otherwise it was the request that starts the step. */
  attached: boolean;
  /** Whether any frame of the step was received. */
  begun: boolean;
};

/**
 * Decides what a failed stream of frames means for its step. Null: attaching again can tell more. Pure.
 *
 * `not-started` is the only verdict after which the client may send the same step again, so it needs proof: the first request never
 * reached the agent, or the agent refused it. `never_started` needs the agent's word that it has not begun the step and never will.
 *
 * @throws any error that is not an AgentError
 */
export function judgeCut(error: unknown, { attached, begun }: Stream): Verdict {
  if (!(error instanceof AgentError)) throw error;
  const { kind, slug, message } = error;
  if (kind === 'invalid') return untrusted(`broken protocol: ${message}`);
  if (kind === 'excessive') return { end: lostEnd('too_much_output', message), condemned: 'too_much_output' };
  if (kind === 'cut') return null;
  if (!attached) return kind === 'refused' && slug === 'step-repeated' ? null : 'not-started';
  if (kind === 'undelivered') return null;
  // The agent knows that the end is recorded, but the record does not have it: it was purged, and the id admitted once more.
  if (slug === 'step-repeated')
    return { end: lostEnd('result_forgotten', 'the step ran before; its record was purged') };
  if (slug === 'not-found' && !begun) return { end: lostEnd('never_started') };
  return untrusted(slug === 'not-found' ? `broken protocol: the agent has forgotten the step: ${message}` : message);
}

const untrusted = (message: string): EndVerdict => ({
  end: lostEnd('sandbox_lost', message),
  condemned: 'sandbox_lost',
});

/** The end of a step about which nothing more can be learned. Pure. */
export const lostEnd = (code: Cause['code'], message?: string): LostEnd => ({
  status: 'lost',
  cause: message ? { code, message: message.slice(0, 2000) } : { code },
});
