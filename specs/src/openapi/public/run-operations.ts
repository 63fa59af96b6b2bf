import * as z from 'zod';
import { jobSchema, runJobQuerySchema, runJobSchema } from '../../public/job.ts';
import { json } from '../parts/answers.ts';
import * as examples from '../parts/examples.ts';
import type { Operation } from '../parts/operation.ts';
import { idempotencyHeaders } from '../parts/parameters.ts';
import { keySchemes } from '../parts/security.ts';
import { eventStreams } from './step-operations.ts';

const query = z.object({
  inline: runJobQuerySchema.shape.inline.meta({
    type: 'string',
    description: '`true` puts stdout and stderr into the JSON answer, too',
    example: 'true',
  }),
  signedSeconds: runJobQuerySchema.shape.signedSeconds.meta({
    type: 'integer',
    minimum: 1,
    maximum: 604_800,
    description: 'Signs the URLs of the JSON answer, so that they need no API key for so long',
    example: 3600,
  }),
});

/** Jobs: files that are run once. */
export const runOperations: Operation[] = [
  {
    method: 'post',
    path: '/v1/run',
    operationId: 'runJob',
    tag: 'Jobs',
    security: keySchemes,
    summary: 'Run a file once',
    description:
      'Runs a program in a process of its own, in the workspace of the given session or in a session of its own that is completed ' +
      'afterwards. A program that fails is an answer of 200 with its exit code. The job is a step with an id of its own kind: it stands ' +
      "in the session's history, and every route of a step serves it, too. What it was given and what it made, its stdout and stderr " +
      'among it, stay readable for as long as the session is kept, whatever became of the sandbox. `Accept` chooses between the answer at ' +
      'the end (JSON, default) and the events of the step as they happen, as `text/event-stream` or `application/x-ndjson`; the last ' +
      'one is `finished`, whose `step.job` has the exit code. A job goes on when its client goes away.',
    query,
    headers: idempotencyHeaders,
    body: { schema: runJobSchema, example: examples.runJob },
    answers: {
      200: {
        description: 'The job that has ended, or its events',
        content: { ...json('', jobSchema, examples.job).content, ...eventStreams },
      },
    },
    problems: [
      'forbidden',
      'not-found',
      'outside-workspace',
      'path-conflict',
      'session-ended',
      'idempotency-conflict',
      'idempotency-mismatch',
      'unsupported-by-runtime',
      'quota-exceeded',
      'sandbox-failed',
      'sandbox-unreachable',
      'session-starting',
      'results-unacknowledged',
      'workspace-full',
      'draining',
      'database-unavailable',
      'storage-unavailable',
    ],
  },
];
