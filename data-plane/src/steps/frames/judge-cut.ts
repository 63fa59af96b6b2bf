import type { Cause, EndReason } from '@holdfast/specs/public';
import { AgentError } from '../../agent/agent-error.ts';
import type { StepEnd } from '../intent-and-end.ts';

type Lost = Extract<StepEnd, { status: 'lost' }>;
type Verdict = 'not-started' | { end: Lost; condemned?: EndReason } | null;

/** What a failed stream means for its step; null where attaching again can tell more. */
export function judgeCut(error: unknown, { attached, isOverrun }: { attached: boolean; isOverrun: boolean }): Verdict {
  if (isOverrun) return { end: lost('overran', 'it ran past its deadline'), condemned: 'step_overran' };
  if (!(error instanceof AgentError)) throw error;
  const { kind, slug, message } = error;
  if (kind === 'invalid')
    return { end: lost('sandbox_lost', `broken protocol: ${message}`), condemned: 'sandbox_lost' };
  if (kind === 'cut') return null;
  if (!attached) return kind === 'refused' && slug === 'step-repeated' ? null : 'not-started';
  if (kind === 'undelivered') return null;
  // Either the agent never saw the id, or whoever asked before burnt it and did not get to say so.
  if (slug === 'not-found' || slug === 'step-repeated') return { end: lost('never_started') };
  return { end: lost('sandbox_lost', message), condemned: 'sandbox_lost' };
}

/** The end of a step of which nothing more can be learned. Pure. */
export const lost = (code: Cause['code'], message?: string): Lost => ({
  status: 'lost',
  cause: message ? { code, message: message.slice(0, 2000) } : { code },
});
