import { stepEventSchema } from '../../public/event.ts';
import { page } from '../../public/page.ts';
import type { ProblemSlug } from '../../public/problems.ts';
import { runStepSchema, stepSchema } from '../../public/step.ts';
import { json } from '../parts/answers.ts';
import * as examples from '../parts/examples.ts';
import type { Operation } from '../parts/operation.ts';
import {
  eventsHeaders,
  eventsQuery,
  idempotencyHeaders,
  pageQuery,
  sessionPath,
  stepPath,
  stepQuery,
} from '../parts/parameters.ts';
import { keySchemes } from '../parts/security.ts';

const tag = 'Steps';
const security = keySchemes;
const known: readonly ProblemSlug[] = ['forbidden', 'not-found', 'session-ended', 'database-unavailable'];
const sandbox: readonly ProblemSlug[] = ['sandbox-failed', 'sandbox-unreachable', 'session-starting'];

/** The events of a step as an answer. */
export const eventStreams = {
  'text/event-stream': {
    schema: {
      type: 'string' as const,
      description: 'Server-sent events: `id` is the seq, `event` the type, `data` a StepEvent. A comment every 15 s.',
    },
    example: examples.events
      .map((event) => `id: ${event.seq}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
      .join(''),
  },
  'application/x-ndjson': { schema: stepEventSchema, example: examples.events[0] },
};

const streamRules =
  'The last event is `finished` and carries the step. A stream that ends without it broke: read on with `GET …/events?after=SEQ`. ' +
  'Should the server fail in the middle, the last line is a `problem` without seq.';

const needRules =
  'Where a step with `stdin: true` asks for input, the JSON answer is the step as it is, `running` with the outcome `needs`: ' +
  'give the input with `POST …/stdin` and go on waiting with `GET …/steps/{stepId}?waitSeconds=30`.';

/** Steps: pieces of code and what became of them. */
export const stepOperations: Operation[] = [
  {
    method: 'post',
    path: '/v1/sessions/{sessionId}/steps',
    operationId: 'runStep',
    tag,
    security,
    summary: 'Run code',
    description: `Runs in the session's default context, that of \`language\`, or the one named by \`contextId\`. Code that raises is an answer of 200 with a failed step. \`Accept\` chooses between the finished step as JSON (default) and its events as they happen, as \`text/event-stream\` or \`application/x-ndjson\`. ${streamRules} ${needRules}`,
    params: sessionPath,
    headers: idempotencyHeaders,
    body: { schema: runStepSchema, example: { code: 'x + 1' } },
    answers: {
      200: {
        description: 'The finished step, the step as it is where it waits for input, or its events',
        content: { 'application/json': { schema: stepSchema, example: examples.step }, ...eventStreams },
      },
    },
    problems: [
      ...known,
      ...sandbox,
      'session-busy',
      'state-reset',
      'idempotency-conflict',
      'idempotency-mismatch',
      'context-deleted',
      'quota-exceeded',
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
    summary: 'List the steps of a session, by number',
    params: sessionPath,
    query: pageQuery,
    answers: { 200: json('One page', page(stepSchema), { items: [examples.step], nextCursor: null }) },
    problems: known,
  },
  {
    method: 'get',
    path: '/v1/sessions/{sessionId}/steps/{stepId}',
    operationId: 'getStep',
    tag,
    security,
    summary: 'Read a step, or wait for it',
    description:
      'The step as it is now; with `waitSeconds`, as soon as it has ended or needs something, and in any case when the time is over. ' +
      'A need is over once the input that answers it was accepted: the same one does not come again after that.',
    params: stepPath,
    query: stepQuery,
    answers: { 200: json('The step as it is now', stepSchema, examples.step) },
    problems: known,
  },
  {
    method: 'get',
    path: '/v1/sessions/{sessionId}/steps/{stepId}/events',
    operationId: 'followStep',
    tag,
    security,
    summary: 'Replay the events of a step and follow it',
    description: `Works for running and for finished steps. Server-sent events unless \`Accept\` asks for \`application/x-ndjson\`. ${streamRules}`,
    params: stepPath,
    query: eventsQuery,
    headers: eventsHeaders,
    answers: {
      200: { description: 'Events', content: eventStreams },
      204: { description: 'The step has finished and there is no event after that seq' },
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
    description: 'Asks a running step to stop and takes a queued one off the queue. Nothing happens to a finished one.',
    params: stepPath,
    answers: { 202: json('The step as it is now', stepSchema, { ...examples.step, status: 'running', outcome: null }) },
    problems: [...known, ...sandbox, 'context-deleted', 'body-too-large', 'unsupported-media-type'],
  },
];
