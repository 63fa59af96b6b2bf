import type { IncomingMessage } from 'node:http';
import { readPlainRequest } from '@holdfast/connections';
import { answerProblem } from '../edge/answer-problem.ts';
import { admitCaller } from '../edge/authorize.ts';
import { type DirectAnswers, directContext, plainContext } from '../edge/direct-context.ts';
import type { EdgeContext } from '../edge/edge.ts';
import { beginRequest, endRequest } from '../edge/observe-request.ts';
import { readWholeBody } from '../edge/read-body.ts';
import { readRequest } from '../edge/read-request.ts';
import { answerRunning } from './answer-running.ts';
import { plainRunStep, runStepBody } from './run-step-body.ts';
import type { V1 } from './verbs.ts';

const stepsPath = '/v1/sessions/:sessionId/steps';
const stepsOfSession = /^\/v1\/sessions\/(ses_[0-9a-hjkmnp-tv-z]{26})\/steps$/;

/** Answers `POST /v1/sessions/{sessionId}/steps` past hono if it is a plain request, as almost all are. Every other request is hono's. */
export function directStep(edge: V1): DirectAnswers {
  return {
    answerDirectly(incoming, outgoing) {
      const [, sessionId] = (incoming.method === 'POST' && stepsOfSession.exec(incoming.url ?? '')) || [];
      if (!sessionId || !isPlain(incoming)) return false;
      void answerStepRequest(edge, directContext(incoming, outgoing), sessionId);
      return true;
    },
    readPlain: (chunk) => readPlainRequest(chunk, plainStep),
    answerPlain(request, answer) {
      const [, sessionId = ''] = stepsOfSession.exec(request.path) ?? [];
      return answerStepRequest(edge, plainContext(request, answer), sessionId, request.body);
    },
  };
}

/** Whether the answer is JSON and no header concerns only some steps. Node shows one header of two with the same name, and hono both. */
function isPlain({ headers, rawHeaders }: IncomingMessage): boolean {
  const hasDoubles = Object.keys(headers).length * 2 !== rawHeaders.length;
  return wantsJson(headers.accept) && !hasDoubles && headers['idempotency-key'] === undefined;
}

const wantsJson = (accept: string | undefined) =>
  accept === undefined || accept === '*/*' || accept === 'application/json';

const plainStep = {
  isPath: (path: string) => stepsOfSession.test(path),
  isPlainHeader: (name: string, value: string) => (name === 'accept' ? wantsJson(value) : !notPlain.has(name)),
};

/** Headers that change how a request is read or answered (RFC 9110, RFC 9112). */
const notPlain: ReadonlySet<string> = new Set([
  'idempotency-key',
  'transfer-encoding',
  'expect',
  'upgrade',
  'te',
  'trailer',
  'keep-alive',
  'proxy-connection',
  'http2-settings',
  'content-encoding',
]);

/**
 * Never rejects.
 * @param whole the body, if it has come as a whole with the head of a plain request
 */
async function answerStepRequest(edge: V1, c: EdgeContext, sessionId: string, whole?: Buffer): Promise<void> {
  const startedAtMs = performance.now();
  const { outgoing } = c.env;
  beginRequest(edge, c);
  try {
    const operation = { method: 'POST', path: stepsPath, sessionId };
    const admitted = admitCaller(edge, c, { scope: 'run', operation });
    if (admitted) await admitted;
    // Most bodies need neither a schema nor a wait.
    const plain = whole && plainRunStep(readWholeBody(edge, whole));
    const request = plain ?? (await readRequest(edge, c, runStepBody)).body;
    const live = await edge.verbs.runStep({ caller: c.get('caller'), sessionId, request });
    await answerRunning(edge, c, { live, request });
  } catch (error) {
    c.error = error as Error;
    if (outgoing?.headersSent) outgoing.destroy();
    else answerProblem(c.error, c);
  }
  const status = outgoing?.statusCode ?? 500;
  endRequest(edge, c, { route: stepsPath, status, startedAtMs });
}
