import { jobSchema, runJobSchema, runSessionJobSchema } from '../../public/job.ts';
import { page } from '../../public/values/page.ts';
import type { ProblemSlug } from '../../public/values/problems.ts';
import { accepted, json } from '../parts/answers.ts';
import { eventStreams } from '../parts/event-streams.ts';
import * as examples from '../parts/file-examples.ts';
import type { Operation } from '../parts/operation.ts';
import { idempotencyHeaders, jobQuery, listJobsQuery, runJobQuery } from '../parts/parameters.ts';
import { jobPath, sessionPath } from '../parts/path-parameters.ts';
import { keySchemes } from '../parts/security.ts';

const jobAnswers = {
  200: {
    description: 'The job after its end, or its events',
    content: { ...json('', jobSchema, examples.job).content, ...eventStreams },
  },
  202: accepted('The job as it is, with `wait: false`', jobSchema, {
    ...examples.job,
    ...{ status: 'running', exitCode: null, durationMs: null, usage: null, stdout: undefined, stderr: undefined },
    artifacts: { inputs: {}, outputs: {}, omissions: {} },
  }),
};

const runProblems: readonly ProblemSlug[] = [
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
];

const readProblems: readonly ProblemSlug[] = [
  'forbidden',
  'not-found',
  'session-ended',
  'quota-exceeded',
  'database-unavailable',
];

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
    answers: jobAnswers,
    problems: runProblems,
  },
  {
    method: 'post',
    path: '/v1/sessions/{sessionId}/jobs',
    operationId: 'runSessionJob',
    tag: 'Jobs',
    security: keySchemes,
    summary: 'Run a file once in a session',
    description: 'The same as `POST /v1/run` with this `sessionId`.',
    params: sessionPath,
    query: runJobQuery,
    headers: idempotencyHeaders,
    body: { schema: runSessionJobSchema, example: examples.runJob },
    answers: jobAnswers,
    problems: runProblems,
  },
  {
    method: 'get',
    path: '/v1/sessions/{sessionId}/jobs',
    operationId: 'listJobs',
    tag: 'Jobs',
    security: keySchemes,
    summary: 'List the jobs of a session, ordered by number',
    params: sessionPath,
    query: listJobsQuery,
    answers: { 200: json('A page of jobs', page(jobSchema), { items: [examples.job], nextCursor: null }) },
    problems: readProblems,
  },
  {
    method: 'get',
    path: '/v1/sessions/{sessionId}/jobs/{jobId}',
    operationId: 'getJob',
    tag: 'Jobs',
    security: keySchemes,
    summary: 'Read a job or wait for it',
    params: jobPath,
    query: jobQuery,
    answers: { 200: json('The current job', jobSchema, examples.job) },
    problems: readProblems,
  },
];
