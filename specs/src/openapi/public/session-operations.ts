import { createSessionSchema, updateSessionSchema } from '../../public/create-session.ts';
import { sessionSchema } from '../../public/session.ts';
import { sessionContextSchema } from '../../public/session-context.ts';
import { page } from '../../public/values/page.ts';
import type { ProblemSlug } from '../../public/values/problems.ts';
import { created, json, nothing } from '../parts/answers.ts';
import * as examples from '../parts/examples.ts';
import type { Operation } from '../parts/operation.ts';
import { idempotencyHeaders, listSessionsQuery } from '../parts/parameters.ts';
import { sessionPath } from '../parts/path-parameters.ts';
import { keySchemes } from '../parts/security.ts';
import { sessionEndOperations } from './session-end-operations.ts';

const tag = 'Sessions';
const security = keySchemes;
const known: readonly ProblemSlug[] = ['forbidden', 'not-found', 'session-ended', 'database-unavailable'];

/** Sessions: the resources that clients own. */
export const sessionOperations: Operation[] = [
  {
    method: 'post',
    path: '/v1/sessions',
    operationId: 'createSession',
    tag,
    security,
    summary: 'Create a session',
    description:
      'Answers when the sandbox is ready to run code. Without a body, all defaults apply. The session is the security boundary: its steps are not protected from each other, whichever context or actor they belong to.',
    headers: idempotencyHeaders,
    body: {
      schema: createSessionSchema,
      example: { language: 'python', metadata: { project: 'demo' } },
      required: false,
    },
    answers: {
      200: created('The session that has this `clientKey` already', sessionSchema, examples.session),
      201: created('The session, ready for steps', sessionSchema, examples.session),
    },
    problems: [
      'forbidden',
      'policy-denied',
      'not-found',
      'idempotency-conflict',
      'idempotency-mismatch',
      'unsupported-by-runtime',
      'snapshot-refused',
      'context-busy',
      'context-deleted',
      'session-not-active',
      'session-paused',
      'session-ended',
      'quota-exceeded',
      'sandbox-unreachable',
      'session-starting',
      'workspace-full',
      'draining',
      'database-unavailable',
    ],
  },
  {
    method: 'get',
    path: '/v1/sessions',
    operationId: 'listSessions',
    tag,
    security,
    summary: 'List sessions',
    query: listSessionsQuery,
    answers: {
      200: json('A page of sessions', page(sessionSchema), { items: [examples.session], nextCursor: null }),
    },
    problems: ['forbidden', 'database-unavailable'],
  },
  {
    method: 'get',
    path: '/v1/sessions/{sessionId}',
    operationId: 'getSession',
    tag,
    security,
    summary: 'Read a session',
    description: 'A session that has ended stays readable until its retention ends.',
    params: sessionPath,
    answers: { 200: json('The session', sessionSchema, examples.session) },
    problems: known,
  },
  {
    method: 'patch',
    path: '/v1/sessions/{sessionId}',
    operationId: 'updateSession',
    tag,
    security,
    summary: 'Change metadata, timeouts, webhooks, the policy or the budget',
    description:
      'A policy that allows less holds for every step that starts after the answer, and for the kernels that run already. One that allows more than before needs a key with the scope host. If a policy takes the network from the session, the session is moved to another sandbox; a problem that comes after the change of the policy says so by its status (409 while a step runs, 502 or 503), and the request can be repeated. If a budget is raised, the sessions that share it and were `budget_exceeded` are active again when the answer comes. If it is lowered, running steps keep the time that they have reserved.',
    params: sessionPath,
    body: { schema: updateSessionSchema, example: { idleTimeoutSeconds: 600 } },
    answers: { 200: json('The session as it is now', sessionSchema, { ...examples.session, idleTimeoutSeconds: 600 }) },
    problems: [
      ...known,
      'session-not-active',
      'session-paused',
      'context-busy',
      'context-deleted',
      'unsupported-by-runtime',
      'state-not-saved',
      'world-unsettled',
      'workspace-full',
      'quota-exceeded',
      'outside-workspace',
      'path-conflict',
      'sandbox-failed',
      'sandbox-unreachable',
      'storage-unavailable',
    ],
  },
  {
    method: 'delete',
    path: '/v1/sessions/{sessionId}',
    operationId: 'deleteSession',
    tag,
    security,
    summary: 'Delete a session with its history',
    description:
      'No step of the session starts after the answer. From then on, every request for the session answers 410.',
    params: sessionPath,
    answers: {
      202: nothing('Deleted; its sandbox is still being destroyed'),
      204: nothing('Deleted; its sandbox is gone'),
    },
    problems: ['forbidden', 'not-found', 'session-starting', 'database-unavailable'],
  },
  ...sessionEndOperations,
  {
    method: 'get',
    path: '/v1/sessions/{sessionId}/context',
    operationId: 'getSessionContext',
    tag,
    security,
    summary: 'Read the code and the names of a session',
    description:
      "Returns the code that ran in each live context and the names that it defined, in a form that suits a model's prompt. Default " +
      'contexts come first, ordered by name; the others follow from the oldest to the newest. If all code is longer than 16 MiB, the ' +
      'oldest steps are left out.',
    params: sessionPath,
    answers: {
      200: json('The code and the names', sessionContextSchema, {
        contexts: [{ contextId: 'python', language: 'python', listsSymbols: true, combinedCode: 'x = 41\n\nx + 1' }],
        symbols: [
          {
            name: 'x',
            kind: 'variable',
            type: 'int',
            preview: '41',
            size: null,
            contextId: 'python',
            stepId: examples.stepId,
            actor: 'agent',
          },
        ],
      }),
    },
    problems: [
      ...known,
      'context-deleted',
      'quota-exceeded',
      'sandbox-failed',
      'sandbox-unreachable',
      'session-starting',
      'session-not-active',
      'session-paused',
    ],
  },
];
