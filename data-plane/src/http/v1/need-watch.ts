import type { Step } from '@holdfast/specs/public';
import type { LiveStep } from '../../steps/live-step.ts';
import type { Verbs } from './verbs.ts';

type Watched = { live: LiveStep; onNeed: (step: Step) => void; onError: (error: unknown) => void };

/**
 * Call the returned function whenever the step may ask for something. It checks each request for input once, one after the other,
 * because the request may have been answered already.
 */
export function createNeedWatch(
  { findWaitingStep }: Pick<Verbs, 'findWaitingStep'>,
  { live, onNeed, onError }: Watched,
): () => void {
  let seen: Buffer | null = null;
  let isLooking = false;
  return function look() {
    if (isLooking || live.inputRequest === seen) return;
    seen = live.inputRequest;
    isLooking = true;
    findWaitingStep(live).then((step) => {
      isLooking = false;
      if (step) onNeed(step);
      else look();
    }, onError);
  };
}
