import type { LiveStep } from '../../steps/live-step.ts';
import { type EdgeContext, setAnswerHeader } from '../edge/edge.ts';
import { negotiate } from '../edge/negotiate.ts';
import { answerStep, noteStep } from './answer-step.ts';
import { answerEvents } from './events/answer-events.ts';
import { eventFormats } from './events/event-format.ts';
import type { V1 } from './verbs.ts';

/** Answers a step that has just begun in the form that the client accepts: as JSON once it has ended, or its events as they come. */
export function answerRunning(edge: V1, c: EdgeContext, live: LiveStep, isBrief = false): Promise<Response> {
  const type = acceptedType(c);
  setAnswerHeader(c, 'Content-Location', `/v1/sessions/${live.sessionId}/steps/${live.id}`);
  noteStep(c, live);
  if (type === 'application/json') return answerStep(edge, c, { live });
  return answerEvents(edge, c, { live, format: eventFormats[type], after: 0, isBrief });
}

/** Whether the client will follow the step's events, and not only wait for its end. */
export const wantsEvents = (c: EdgeContext): boolean => acceptedType(c) !== 'application/json';

const acceptedType = (c: EdgeContext) =>
  negotiate(c.req.header('accept'), ['application/json', 'text/event-stream', 'application/x-ndjson']);
