import { operationResultSchema, operationSchema } from '../../public/operation.ts';
import { page } from '../../public/values/page.ts';
import type { ProblemSlug } from '../../public/values/problems.ts';
import { json } from '../parts/answers.ts';
import * as examples from '../parts/examples.ts';
import type { Operation } from '../parts/operation.ts';
import { operationsQuery } from '../parts/parameters.ts';
import { operationPath, sessionPath } from '../parts/path-parameters.ts';
import { keySchemes } from '../parts/security.ts';

const tag = 'Operations';
const problems: readonly ProblemSlug[] = ['forbidden', 'not-found', 'session-ended', 'database-unavailable'];

const pending = {
  id: examples.operationId,
  sessionId: examples.sessionId,
  stepId: examples.stepId,
  name: 'llm.complete',
  arguments: ['Name three rivers.', { maxTokens: 100 }],
  status: 'pending',
  createdAt: examples.time(8),
  expiresAt: '2026-01-15T10:05:08.000Z',
  answeredAt: null,
};

/** The operations that the code of steps calls and the host answers. */
export const calledOperations: Operation[] = [
  {
    method: 'get',
    path: '/v1/sessions/{sessionId}/operations',
    operationId: 'listOperations',
    tag,
    security: keySchemes,
    summary: 'List the operations that the code of a session has called, oldest first',
    description:
      'Those that the host answers, which are all but `world.…`, `memo.…`, `facts.…`, `session.…`, `eval` and `fixpoint`. Needs the scope `host`.',
    params: sessionPath,
    query: operationsQuery,
    answers: { 200: json('A page of operations', page(operationSchema), { items: [pending], nextCursor: null }) },
    problems,
  },
  {
    method: 'post',
    path: '/v1/sessions/{sessionId}/operations/{operationId}/result',
    operationId: 'answerOperation',
    tag,
    security: keySchemes,
    summary: 'Answer an operation',
    description:
      'The code that waits gets the value, or the error. The first answer counts, and repeating it changes nothing. It is recorded before this answers, so the code gets it even if a server stops. Needs the scope `host`.',
    params: operationPath,
    body: { schema: operationResultSchema, example: { value: { text: 'Rhine, Nile, Amazon' } } },
    answers: {
      200: json('The answered operation', operationSchema, {
        ...pending,
        status: 'succeeded',
        answeredAt: examples.time(9),
      }),
    },
    problems: [...problems, 'operation-ended'],
  },
];
