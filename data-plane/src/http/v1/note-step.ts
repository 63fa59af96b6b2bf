import type { LiveStep } from '../../steps/live-step.ts';
import type { EdgeContext } from '../edge/edge.ts';

/** Says in the request's event which step it is about. */
export function noteStep(c: EdgeContext, live: LiveStep): void {
  const event = c.get('event');
  event.sessionId = live.sessionId;
  event.stepId = live.id;
}
