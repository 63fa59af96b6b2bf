import { pausedSchema, pauseSchema, recoverSchema } from '../../public/pause.ts';
import { sessionSchema } from '../../public/session.ts';
import { exportedContextSchema, exportQuerySchema } from '../../public/state.ts';
import type { ProblemSlug } from '../../public/values/problems.ts';
import { json } from '../parts/answers.ts';
import * as examples from '../parts/examples.ts';
import type { Operation } from '../parts/operation.ts';
import { sessionPath } from '../parts/path-parameters.ts';
import { keySchemes } from '../parts/security.ts';

const tag = 'State';
const security = keySchemes;
const known: readonly ProblemSlug[] = ['forbidden', 'not-found', 'session-ended', 'database-unavailable'];
/** The recovery of sessions that lost their sandbox, pauses, and exports. */
export const stateOperations: Operation[] = [
  {
    method: 'post',
    path: '/v1/sessions/{sessionId}/recover',
    operationId: 'recoverSession',
    tag,
    security,
    summary: 'Give a lost session another sandbox',
    description:
      'Answers when the session is active again, with its files, and with the state of its contexts as `lastRecovery` reports it. An active session is answered as it is.',
    params: sessionPath,
    body: { schema: recoverSchema, example: { strategy: 'replay' }, required: false },
    answers: { 200: json('The session, ready for steps', sessionSchema, { ...examples.session, epoch: 2 }) },
    problems: [
      ...known,
      'snapshot-refused',
      'sandbox-failed',
      'session-not-active',
      'session-paused',
      'session-starting',
      'context-busy',
      'context-deleted',
      'unsupported-by-runtime',
      'quota-exceeded',
      'storage-unavailable',
      'workspace-full',
      'sandbox-unreachable',
      'body-too-large',
      'unsupported-media-type',
    ],
  },
  {
    method: 'post',
    path: '/v1/sessions/{sessionId}/pause',
    operationId: 'pauseSession',
    tag,
    security,
    summary: 'Save a session and remove its sandbox',
    description:
      'The session keeps its files and the state of its contexts, and uses no sandbox until it is resumed. If a name or a file cannot be saved, the answer is 409 `state-not-saved`, which lists them, and the session goes on; with `force` it is paused without them. While a step runs, the answer is 409 `context-busy`. The maximum age of the session includes the time in which it is paused.',
    params: sessionPath,
    body: { schema: pauseSchema, example: { force: true }, required: false },
    answers: {
      200: json('The session without a sandbox', pausedSchema, {
        ...examples.session,
        status: 'paused',
        notSaved: [{ contextId: 'python', name: 'connection', reason: 'a socket cannot be saved' }],
      }),
    },
    problems: [
      ...known,
      'context-busy',
      'context-deleted',
      'session-not-active',
      'session-paused',
      'session-starting',
      'state-not-saved',
      'unsupported-by-runtime',
      'outside-workspace',
      'path-conflict',
      'sandbox-failed',
      'sandbox-unreachable',
      'storage-unavailable',
      'workspace-full',
      'world-unsettled',
      'body-too-large',
      'unsupported-media-type',
    ],
  },
  {
    method: 'post',
    path: '/v1/admin/sessions/{sessionId}/move',
    operationId: 'moveSession',
    tag,
    security,
    summary: 'Move a session of any tenant to a new sandbox',
    description:
      'Saves the session as a pause does, and answers when it is active in a new sandbox, on another node or with a newer image. The scope `admin` is needed. If the new sandbox does not start, the attempts go on in the background.',
    params: sessionPath,
    body: { schema: pauseSchema, example: { force: true }, required: false },
    answers: {
      200: json('The session in its new sandbox', pausedSchema, { ...examples.session, epoch: 2, notSaved: [] }),
    },
    problems: [
      ...known,
      'context-busy',
      'context-deleted',
      'session-not-active',
      'session-paused',
      'session-starting',
      'state-not-saved',
      'unsupported-by-runtime',
      'quota-exceeded',
      'outside-workspace',
      'path-conflict',
      'sandbox-failed',
      'sandbox-unreachable',
      'storage-unavailable',
      'workspace-full',
      'world-unsettled',
      'body-too-large',
      'unsupported-media-type',
    ],
  },
  {
    method: 'post',
    path: '/v1/sessions/{sessionId}/resume',
    operationId: 'resumeSession',
    tag,
    security,
    summary: 'Resume a paused session',
    description:
      'Answers when the session is active again, in a new sandbox, with its files, and with the state of its contexts as `lastRecovery` reports it. An active session is answered as it is. If no sandbox can be started, the session stays paused.',
    params: sessionPath,
    answers: { 200: json('The session, ready for steps', sessionSchema, { ...examples.session, epoch: 2 }) },
    problems: [
      ...known,
      'session-not-active',
      'session-paused',
      'session-starting',
      'context-busy',
      'context-deleted',
      'unsupported-by-runtime',
      'quota-exceeded',
      'storage-unavailable',
      'sandbox-unreachable',
      'body-too-large',
      'unsupported-media-type',
    ],
  },
  {
    method: 'get',
    path: '/v1/sessions/{sessionId}/export',
    operationId: 'exportContext',
    tag,
    security,
    summary: 'Export the history of a context',
    description:
      'A notebook has a cell for each step, with its output and its actor; `nbconvert --execute` runs it in a fresh kernel. A script has the code of the steps that succeeded. The session may have ended.',
    params: sessionPath,
    query: exportQuerySchema,
    answers: {
      200: {
        description: 'The notebook, the script, or the steps as JSON',
        content: {
          'application/json': {
            schema: exportedContextSchema,
            example: {
              format: 'holdfast-1',
              sessionId: examples.sessionId,
              contextId: 'python',
              language: 'python',
              steps: [{ id: examples.stepId, actor: 'agent', status: 'succeeded', code: 'x = 1' }],
            },
          },
          'text/plain': { schema: { type: 'string' } },
        },
      },
    },
    problems: [...known, 'unsupported-by-runtime', 'quota-exceeded'],
  },
];
