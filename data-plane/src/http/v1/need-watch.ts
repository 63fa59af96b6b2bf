import type { LiveStep } from '../../steps/live-step.ts';
import type { StepAnswer } from '../../steps/step-from-row.ts';
import type { Verbs } from './verbs.ts';

type Watched = {
  live: LiveStep;
  /** The operation that the client has seen. */
  after?: string | undefined;
  onNeed: (step: StepAnswer) => void;
  onError: (error: unknown) => void;
};

/**
 * Call the returned function whenever the step may ask for something. It checks each request once, one after the other, because it may
 * have been answered already.
 */
export function createNeedWatch(
  { findWaitingStep }: Pick<Verbs, 'findWaitingStep'>,
  { live, after, onNeed, onError }: Watched,
): () => void {
  let seen: object | null = null;
  let isChecking = false;
  return function check() {
    if (isChecking || live.request === seen) return;
    seen = live.request;
    isChecking = true;
    findWaitingStep({ live, after }).then((step) => {
      isChecking = false;
      if (step) onNeed(step);
      else check();
    }, onError);
  };
}
