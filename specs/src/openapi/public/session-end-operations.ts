import { sessionSchema } from '../../public/session.ts';
import type { ProblemSlug } from '../../public/values/problems.ts';
import { json } from '../parts/answers.ts';
import * as examples from '../parts/examples.ts';
import type { Operation } from '../parts/operation.ts';
import { sessionPath } from '../parts/path-parameters.ts';
import { keySchemes } from '../parts/security.ts';

const problems: readonly ProblemSlug[] = [
  'forbidden',
  'not-found',
  'session-not-active',
  'session-paused',
  'session-ended',
  'sandbox-unreachable',
  'body-too-large',
  'unsupported-media-type',
  'database-unavailable',
];

/** The operations with which a host ends a session. */
export const sessionEndOperations: Operation[] = [ending('complete', 'completed'), ending('abort', 'aborted')];

function ending(verb: 'complete' | 'abort', status: 'completed' | 'aborted'): Operation {
  return {
    method: 'post',
    path: `/v1/sessions/{sessionId}/${verb}`,
    operationId: `${verb}Session`,
    tag: 'Sessions',
    security: keySchemes,
    summary: `End a session as ${status}`,
    description: 'Interrupts running steps, then destroys the sandbox. The history stays readable.',
    params: sessionPath,
    answers: {
      200: json('The ended session', sessionSchema, {
        ...examples.session,
        status,
        endedAt: '2026-01-15T10:05:00.000Z',
        endReason: `${status}_by_host`,
      }),
    },
    problems,
  };
}
