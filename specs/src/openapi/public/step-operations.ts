import { interruptSchema, runStepSchema } from '../../public/run-step.ts';
import { stepSchema } from '../../public/step.ts';
import { page } from '../../public/values/page.ts';
import type { ProblemSlug } from '../../public/values/problems.ts';
import { accepted, json } from '../parts/answers.ts';
import { eventStreams, streamRules } from '../parts/event-streams.ts';
import * as examples from '../parts/examples.ts';
import type { Operation } from '../parts/operation.ts';
import {
  eventsHeaders,
  eventsQuery,
  idempotencyHeaders,
  listStepsQuery,
  runStepQuery,
  stepQuery,
} from '../parts/parameters.ts';
import { sessionPath, stepPath } from '../parts/path-parameters.ts';
import { keyOrShareSchemes, keySchemes } from '../parts/security.ts';

const tag = 'Steps';
const security = keySchemes;
const known: readonly ProblemSlug[] = [
  'forbidden',
  'not-found',
  'session-ended',
  'quota-exceeded',
  'database-unavailable',
];
const sandbox: readonly ProblemSlug[] = [
  'sandbox-failed',
  'sandbox-unreachable',
  'session-starting',
  'session-not-active',
  'session-paused',
];

const needRules =
  'If a step with `stdin: true` asks for input, the JSON answer is the step while it is `running`, with the outcome `needs`: send the ' +
  'input with `POST …/stdin`, then continue to wait with `GET …/steps/{stepId}?waitSeconds=30`. The same holds if its code calls an operation of the host, which ' +
  '`POST …/operations/{operationId}/result` answers. A client that waits on before the answer is there adds `after={operationId}`, and hears of the next need.';

/** Steps: pieces of code and their outcomes. */
export const stepOperations: Operation[] = [
  {
    method: 'post',
    path: '/v1/sessions/{sessionId}/steps',
    operationId: 'runStep',
    tag,
    security,
    summary: 'Run code',
    description: `Runs in the default context of the session, in that of \`language\`, or in the context \`contextId\`. If the code fails, the answer is 200 with a failed step. \`Accept\` chooses between the finished step as JSON (default) and its events as they happen, as \`text/event-stream\` or \`application/x-ndjson\`. ${streamRules} ${needRules}`,
    params: sessionPath,
    query: runStepQuery,
    headers: idempotencyHeaders,
    body: { schema: runStepSchema, example: { code: 'x + 1' } },
    answers: {
      200: {
        description: 'The finished step, or the running step if it waits for input, or the events of the step',
        content: { 'application/json': { schema: stepSchema, example: examples.step }, ...eventStreams },
      },
      202: accepted('The step as it is, with `wait: false`', stepSchema, {
        ...examples.step,
        ...{ status: 'running', outcome: null, results: [], finishedAt: null, durationMs: null, usage: null },
      }),
    },
    problems: [
      ...known,
      ...sandbox,
      'policy-denied',
      'storage-unavailable',
      'context-busy',
      'state-reset',
      'idempotency-conflict',
      'idempotency-mismatch',
      'context-deleted',
      'quota-exceeded',
      'budget-exceeded',
      'unsupported-by-runtime',
      'results-unacknowledged',
      'draining',
    ],
  },
  {
    method: 'get',
    path: '/v1/sessions/{sessionId}/steps',
    operationId: 'listSteps',
    tag,
    security,
    summary: 'List the steps of a session by number',
    params: sessionPath,
    query: listStepsQuery,
    answers: { 200: json('A page of steps', page(stepSchema), { items: [examples.step], nextCursor: null }) },
    problems: known,
  },
  {
    method: 'get',
    path: '/v1/sessions/{sessionId}/steps/{stepId}',
    operationId: 'getStep',
    tag,
    security,
    summary: 'Read a step or wait for it',
    description:
      'Answers with the current step. With `waitSeconds` the answer waits until the step ends, needs something, or the time is over. ' +
      'Once an input is accepted, the need that it meets is not reported again. An operation is reported until it has its answer, unless `after` names it or a later one. ' +
      'When the time is over the answer is the step as it is, whatever `after` says.',
    params: stepPath,
    query: stepQuery,
    answers: { 200: json('The current step', stepSchema, examples.step) },
    problems: known,
  },
  {
    method: 'get',
    path: '/v1/sessions/{sessionId}/steps/{stepId}/events',
    operationId: 'followStep',
    tag,
    security: keyOrShareSchemes,
    summary: 'Replay and follow the events of a step',
    description: `Works for running and finished steps. Sends server-sent events unless \`Accept\` asks for \`application/x-ndjson\`. ${streamRules}`,
    params: stepPath,
    query: eventsQuery,
    headers: eventsHeaders,
    answers: {
      200: { description: 'The events', content: eventStreams },
      204: { description: 'The step has finished and has no events after this sequence number' },
    },
    problems: known,
  },
  {
    method: 'post',
    path: '/v1/sessions/{sessionId}/steps/{stepId}/interrupt',
    operationId: 'interruptStep',
    tag,
    security,
    summary: 'Interrupt a step',
    description:
      'Asks a running step to stop, or removes a queued step from the queue. It has no effect on a finished step.',
    params: stepPath,
    body: { schema: interruptSchema, example: { actor: 'user', actorName: 'Ada' }, required: false },
    answers: { 202: json('The current step', stepSchema, { ...examples.step, status: 'running', outcome: null }) },
    problems: [...known, ...sandbox, 'context-deleted'],
  },
];
