import { backgroundPageSchema, contextSchema, createContextSchema } from '../../public/context.ts';
import { page } from '../../public/values/page.ts';
import type { ProblemSlug } from '../../public/values/problems.ts';
import { created, json, nothing } from '../parts/answers.ts';
import * as examples from '../parts/examples.ts';
import type { Operation } from '../parts/operation.ts';
import { backgroundQuery, idempotencyHeaders } from '../parts/parameters.ts';
import { contextPath, sessionPath } from '../parts/path-parameters.ts';
import { keySchemes } from '../parts/security.ts';

const tag = 'Contexts';
const security = keySchemes;
const problems: readonly ProblemSlug[] = [
  'forbidden',
  'not-found',
  'session-ended',
  'sandbox-failed',
  'sandbox-unreachable',
  'session-starting',
  'session-not-active',
  'session-paused',
  'database-unavailable',
];

/** Contexts: the separate interpreter states of a session. */
export const contextOperations: Operation[] = [
  {
    method: 'post',
    path: '/v1/sessions/{sessionId}/contexts',
    operationId: 'createContext',
    tag,
    security,
    summary: 'Create a context',
    params: sessionPath,
    headers: idempotencyHeaders,
    body: { schema: createContextSchema, example: { language: 'node' } },
    answers: { 201: created('The context', contextSchema, examples.context) },
    problems: [
      ...problems,
      'policy-denied',
      'context-deleted',
      'idempotency-conflict',
      'idempotency-mismatch',
      'quota-exceeded',
      'unsupported-by-runtime',
    ],
  },
  {
    method: 'get',
    path: '/v1/sessions/{sessionId}/contexts',
    operationId: 'listContexts',
    tag,
    security,
    summary: 'List the contexts of a session',
    params: sessionPath,
    answers: { 200: json('All contexts', page(contextSchema), { items: [examples.context], nextCursor: null }) },
    problems,
  },
  {
    method: 'delete',
    path: '/v1/sessions/{sessionId}/contexts/{contextId}',
    operationId: 'deleteContext',
    tag,
    security,
    summary: 'Delete a context',
    description: 'Ends the kernel and everything that runs in it. The history of its steps stays.',
    params: contextPath,
    answers: { 204: nothing('Deleted') },
    problems: [...problems, 'context-deleted'],
  },
  {
    method: 'post',
    path: '/v1/sessions/{sessionId}/contexts/{contextId}/restart',
    operationId: 'restartContext',
    tag,
    security,
    summary: 'Restart a context',
    description: 'Ends the kernel and starts a new one. All definitions are lost, and `contextEpoch` goes up.',
    params: contextPath,
    answers: { 200: json('The context as it is now', contextSchema, { ...examples.context, contextEpoch: 2 }) },
    problems: [...problems, 'context-deleted', 'body-too-large', 'unsupported-media-type'],
  },
  {
    method: 'get',
    path: '/v1/sessions/{sessionId}/contexts/{contextId}/background',
    operationId: 'listBackground',
    tag,
    security,
    summary: 'Read the background output of a context',
    description:
      'Threads, tasks and child processes that outlive their step produce this output and these comm messages; they are not part of any step. The sandbox stores the last 256 KiB per context until it ends.',
    params: contextPath,
    query: backgroundQuery,
    answers: { 200: json('The stored background output', backgroundPageSchema, examples.background) },
    problems: [...problems, 'context-deleted'],
  },
];
