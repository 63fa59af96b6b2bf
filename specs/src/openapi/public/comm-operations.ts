import { sendCommSchema } from '../../public/comm.ts';
import { stepSchema } from '../../public/step.ts';
import { eventStreams, streamRules } from '../parts/event-streams.ts';
import * as examples from '../parts/examples.ts';
import type { Operation } from '../parts/operation.ts';
import { idempotencyHeaders } from '../parts/parameters.ts';
import { contextPath } from '../parts/path-parameters.ts';
import { keySchemes } from '../parts/security.ts';

/** The messages of widgets. */
export const commOperations: Operation[] = [
  {
    method: 'post',
    path: '/v1/sessions/{sessionId}/contexts/{contextId}/comms',
    operationId: 'sendComm',
    tag: 'Contexts',
    security: keySchemes,
    summary: 'Send a message to a comm',
    description:
      "A comm connects an object in the kernel, such as a widget, with its view in a front end, as in Jupyter's messaging protocol. The kernel's messages are the events `comm` of its steps. A message to the kernel is handled by a step without code, which waits for its turn: its first `comm` event is this message, and its further events are what the kernel's handlers did. The step fails if a handler raises or no comm has this id. " +
      `\`Accept\` chooses between the finished step as JSON (default) and its events. ${streamRules}`,
    params: contextPath,
    headers: idempotencyHeaders,
    body: { schema: sendCommSchema, example: examples.comm },
    answers: {
      200: {
        description: 'The finished step, or the events of the step',
        content: { 'application/json': { schema: stepSchema, example: examples.commStep }, ...eventStreams },
      },
    },
    problems: [
      'forbidden',
      'policy-denied',
      'not-found',
      'session-ended',
      'quota-exceeded',
      'budget-exceeded',
      'database-unavailable',
      'sandbox-failed',
      'sandbox-unreachable',
      'storage-unavailable',
      'session-starting',
      'session-not-active',
      'session-paused',
      'unsupported-by-runtime',
      'context-busy',
      'state-reset',
      'idempotency-conflict',
      'idempotency-mismatch',
      'context-deleted',
      'results-unacknowledged',
      'draining',
    ],
  },
];
