import type { RunStep } from '@holdfast/specs/public';
import type { LiveStep } from '../../steps/live-step.ts';
import { type EdgeContext, setAnswerHeader } from '../edge/edge.ts';
import { negotiate } from '../edge/negotiate.ts';
import { answerAccepted } from './answer-accepted.ts';
import { answerStep, noteStep } from './answer-step.ts';
import { answerEvents } from './events/answer-events.ts';
import { eventFormats } from './events/event-format.ts';
import type { V1 } from './verbs.ts';

type Running = {
  live: LiveStep;
  request?: Pick<RunStep, 'wait'>;
  /** Whether the last event leaves out what was sent before. */
  isBrief?: boolean;
};

/** Answers a step that has just begun in the form that the client accepts: as JSON once it has ended, its events as they come, or at once. */
export function answerRunning(
  edge: V1,
  c: EdgeContext,
  { live, request, isBrief = false }: Running,
): Promise<Response> {
  const location = `/v1/sessions/${live.sessionId}/steps/${live.id}`;
  if (request?.wait === false) return answerAccepted(edge, c, { live, location });
  const type = acceptedType(c);
  setAnswerHeader(c, 'Content-Location', location);
  noteStep(c, live);
  if (type === 'application/json') return answerStep(edge, c, { live });
  return answerEvents(edge, c, { live, format: eventFormats[type], after: 0, isBrief });
}

/** Whether the client will follow the step's events, and not only wait for its end. */
export const wantsEvents = (c: EdgeContext): boolean => acceptedType(c) !== 'application/json';

const acceptedType = (c: EdgeContext) =>
  negotiate(c.req.header('accept'), ['application/json', 'text/event-stream', 'application/x-ndjson']);
