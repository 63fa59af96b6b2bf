import type { IncomingMessage } from 'node:http';
import { answerProblem } from '../edge/answer-problem.ts';
import { admitCaller } from '../edge/authorize.ts';
import { type DirectAnswers, directContext } from '../edge/direct-context.ts';
import type { EdgeContext } from '../edge/edge.ts';
import { beginRequest, endRequest } from '../edge/observe-request.ts';
import { readRequest } from '../edge/read-request.ts';
import { answerRunning } from './answer-running.ts';
import { runStepBody } from './run-step-body.ts';
import type { V1 } from './verbs.ts';

const stepsOfSession = /^\/v1\/sessions\/(ses_[0-9a-hjkmnp-tv-z]{26})\/steps$/;

/** Answers `POST /v1/sessions/{sessionId}/steps` past hono if it is a plain request, as almost all are. Every other request is hono's. */
export function directStep(edge: V1): DirectAnswers['answerDirectly'] {
  return function answerDirectly(incoming, outgoing) {
    const [, sessionId] = (incoming.method === 'POST' && stepsOfSession.exec(incoming.url ?? '')) || [];
    if (!sessionId || !isPlain(incoming)) return false;
    void answerStepRequest(edge, directContext(incoming, outgoing), sessionId);
    return true;
  };
}

/** Whether the answer is JSON and no header concerns only some steps. Node shows one header of two with the same name, and hono both. */
function isPlain({ headers, rawHeaders }: IncomingMessage): boolean {
  const { accept } = headers;
  const wantsJson = accept === undefined || accept === '*/*' || accept === 'application/json';
  const hasDoubles = Object.keys(headers).length * 2 !== rawHeaders.length;
  return wantsJson && !hasDoubles && headers['idempotency-key'] === undefined;
}

/** Never rejects. */
async function answerStepRequest(edge: V1, c: EdgeContext, sessionId: string): Promise<void> {
  const startedAtMs = performance.now();
  const { outgoing } = c.env;
  beginRequest(edge, c);
  try {
    await admitCaller(edge, c, 'run');
    const { body } = await readRequest(edge, c, runStepBody);
    const live = await edge.verbs.runStep({ caller: c.get('caller'), sessionId, request: body });
    await answerRunning(edge, c, live);
  } catch (error) {
    c.error = error as Error;
    if (outgoing?.headersSent) outgoing.destroy();
    else answerProblem(c.error, c);
  }
  const status = outgoing?.statusCode ?? 500;
  endRequest(edge, c, { route: '/v1/sessions/:sessionId/steps', status, startedAtMs });
}
