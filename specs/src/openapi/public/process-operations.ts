import {
  listProcessesQuerySchema,
  processEventSchema,
  processQuerySchema,
  processSchema,
  processSummarySchema,
  startProcessSchema,
} from '../../public/process.ts';
import { page } from '../../public/values/page.ts';
import type { ProblemSlug } from '../../public/values/problems.ts';
import { json } from '../parts/answers.ts';
import type { Operation } from '../parts/operation.ts';
import { idempotencyHeaders, pageQuery } from '../parts/parameters.ts';
import { processPath, sessionPath } from '../parts/path-parameters.ts';
import * as examples from '../parts/process-examples.ts';
import { keySchemes } from '../parts/security.ts';

const tag = 'Processes';
const security = keySchemes;
const known: readonly ProblemSlug[] = ['forbidden', 'not-found', 'session-ended', 'database-unavailable'];

/** The events of a process as an answer, in both formats. */
export const processEventStreams = {
  'text/event-stream': {
    schema: {
      type: 'string' as const,
      description:
        'Server-sent events: `id` is `seq`, `event` the type, `data` a ProcessEvent. A comment is sent every 15 s; NDJSON has an empty line in its place.',
    },
    example: examples.processEvents
      .map((event) => `id: ${event.seq}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
      .join(''),
  },
  'application/x-ndjson': { schema: processEventSchema, example: examples.processEvents[0] },
};

const { shape } = listProcessesQuerySchema;

/** Commands that run in the sandbox beside the kernels. */
export const processOperations: Operation[] = [
  {
    method: 'post',
    path: '/v1/sessions/{sessionId}/processes',
    operationId: 'startProcess',
    tag,
    security,
    summary: 'Start a process',
    description:
      'Runs a program, or a text by a shell, beside the kernels of the session. The process outlives the request; it ends by itself, with its timeout, by a signal, or with the ' +
      'sandbox, which a pause and a recovery end as well: then it is `lost`. Answers 202 once it runs; with `waitSeconds` 200 with the process as it is when it has ended, or when the ' +
      'time is over; with `Accept: text/event-stream` or `application/x-ndjson` its events. A program that does not exist, or a directory that is none, is a problem by name, and nothing is recorded. ' +
      'A policy without `execution.allowShellCommands` forbids processes. A process takes one iteration of the budget, and its time.',
    params: sessionPath,
    headers: idempotencyHeaders,
    body: { schema: startProcessSchema, example: { command: ['git', 'status', '--short'], waitSeconds: 10 } },
    answers: {
      200: {
        description: 'The process when it has ended or the time is over, or its events',
        content: { 'application/json': { schema: processSchema, example: examples.process }, ...processEventStreams },
      },
      202: json('The process, which runs now', processSchema, examples.running),
    },
    problems: [
      ...known,
      'sandbox-failed',
      'sandbox-unreachable',
      'session-starting',
      'session-not-active',
      'session-paused',
      'policy-denied',
      'idempotency-mismatch',
      'command-not-started',
      'unsupported-by-runtime',
      'quota-exceeded',
      'budget-exceeded',
      'results-unacknowledged',
      'draining',
    ],
  },
  {
    method: 'get',
    path: '/v1/sessions/{sessionId}/processes',
    operationId: 'listProcesses',
    tag,
    security,
    summary: 'List the processes of a session, ordered by number',
    description: 'Those that run, and the latest 500 of those that have ended, without their output.',
    params: sessionPath,
    query: pageQuery.extend({
      status: shape.status.meta({ description: 'Only those with this status', example: 'running' }),
    }),
    answers: {
      200: json('A page of processes', page(processSummarySchema), { items: [examples.summary], nextCursor: null }),
    },
    problems: known,
  },
  {
    method: 'get',
    path: '/v1/sessions/{sessionId}/processes/{processId}',
    operationId: 'getProcess',
    tag,
    security,
    summary: 'Read a process or wait for its end',
    description:
      'Answers with the process and its output so far: the beginning and the end of it, if there is much. With `waitSeconds` the answer waits until the process has ended, or the time is over.',
    params: processPath,
    query: processQuerySchema.extend({
      waitSeconds: processQuerySchema.shape.waitSeconds.meta({
        type: 'number',
        minimum: 0,
        maximum: 60,
        description: 'How long to wait for its end',
        example: 30,
      }),
    }),
    answers: { 200: json('The process', processSchema, examples.process) },
    problems: known,
  },
];
