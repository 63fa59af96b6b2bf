import type { RunJob } from '@holdfast/specs/public';
import type { LiveStep } from '../../../steps/live-step.ts';
import { type EdgeContext, setAnswerHeader } from '../../edge/edge.ts';
import { negotiate } from '../../edge/negotiate.ts';
import { answerAccepted } from '../answer-accepted.ts';
import { answerStep, noteStep, type View } from '../answer-step.ts';
import { answerEvents } from '../events/answer-events.ts';
import { eventFormats } from '../events/event-format.ts';
import type { V1 } from '../verbs.ts';

/** The form in which a client wants its jobs. */
export type Viewing = { inline: boolean; signedSeconds?: number | undefined };

/** Shows a step that is a job in that form. */
export const jobAs =
  ({ verbs }: Pick<V1, 'verbs'>, c: EdgeContext, viewing: Viewing): View =>
  (step) =>
    verbs.signJobUrls({ caller: c.get('caller'), step, ...viewing });

type Answering = { live: LiveStep; request: Pick<RunJob, 'wait'>; viewing: Viewing };

/** Answers a job that has just begun: at once, at its end, or with its events as they come. */
export async function answerJob(edge: V1, c: EdgeContext, { live, request, viewing }: Answering): Promise<Response> {
  const view = jobAs(edge, c, viewing);
  if (request.wait === false) return await answerAccepted(edge, c, { live, location: jobAddress(live), view });
  const type = negotiate(c.req.header('accept'), ['application/json', 'text/event-stream', 'application/x-ndjson']);
  setAnswerHeader(c, 'Content-Location', `/v1/sessions/${live.sessionId}/steps/${live.id}`);
  noteStep(c, live);
  if (type === 'application/json') return await answerStep(edge, c, { live, view });
  return await answerEvents(edge, c, { live, format: eventFormats[type], after: 0 });
}

const jobAddress = ({ sessionId, id }: LiveStep) => `/v1/sessions/${sessionId}/jobs/${id}`;
