import { jobSchema, runJobSchema } from '../../public/job.ts';
import { json } from '../parts/answers.ts';
import { eventStreams } from '../parts/event-streams.ts';
import * as examples from '../parts/file-examples.ts';
import type { Operation } from '../parts/operation.ts';
import { idempotencyHeaders, runJobQuery } from '../parts/parameters.ts';
import { keySchemes } from '../parts/security.ts';

/** Jobs: files that run once. */
export const runOperations: Operation[] = [
  {
    method: 'post',
    path: '/v1/run',
    operationId: 'runJob',
    tag: 'Jobs',
    security: keySchemes,
    summary: 'Run a file once',
    description:
      'Runs a program in its own process, in the workspace of the given session or in a new session that is completed afterwards. If the ' +
      'program fails, the answer is 200 with its exit code. A job is a step with its own kind of id: it appears in the history of the ' +
      'session, and every operation on a step accepts its id. Its input and output files, including stdout and stderr, stay readable until ' +
      'the session is deleted, even if the sandbox is gone. `Accept` chooses between one answer at the end (JSON, default) and the events ' +
      'of the step as they happen, as `text/event-stream` or `application/x-ndjson`; the last one is `finished`, and its `step.job` has ' +
      'the exit code. The job continues if its client disconnects.',
    query: runJobQuery,
    headers: idempotencyHeaders,
    body: { schema: runJobSchema, example: examples.runJob },
    answers: {
      200: {
        description: 'The job after its end, or its events',
        content: { ...json('', jobSchema, examples.job).content, ...eventStreams },
      },
    },
    problems: [
      'forbidden',
      'policy-denied',
      'not-found',
      'outside-workspace',
      'path-conflict',
      'proposal-conflict',
      'session-ended',
      'idempotency-conflict',
      'idempotency-mismatch',
      'unsupported-by-runtime',
      'quota-exceeded',
      'budget-exceeded',
      'sandbox-failed',
      'sandbox-unreachable',
      'session-starting',
      'context-busy',
      'context-deleted',
      'session-not-active',
      'session-paused',
      'results-unacknowledged',
      'workspace-full',
      'draining',
      'database-unavailable',
      'storage-unavailable',
      'world-unsettled',
    ],
  },
];
