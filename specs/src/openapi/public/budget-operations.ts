import { reportedUsageSchema, usageSchema } from '../../public/budget.ts';
import { json } from '../parts/answers.ts';
import type { Operation } from '../parts/operation.ts';
import { idempotencyHeaders } from '../parts/parameters.ts';
import { sessionPath } from '../parts/path-parameters.ts';
import { keySchemes } from '../parts/security.ts';

/** Reports of what a host has spent. */
export const budgetOperations: Operation[] = [
  {
    method: 'post',
    path: '/v1/sessions/{sessionId}/usage',
    operationId: 'reportUsage',
    tag: 'Sessions',
    security: keySchemes,
    summary: 'Charge tokens and cost to the budget of a session',
    description:
      'For what the host spends, such as calls of a model; needs the scope `host`. The session may have ended. If nothing is left afterwards, the sessions that share the budget are `budget_exceeded` when the answer comes, and their next step is refused.',
    params: sessionPath,
    headers: idempotencyHeaders,
    body: { schema: usageSchema, example: { tokens: 1200, cost: '0.018' } },
    answers: {
      200: json('The rest of the budget', reportedUsageSchema, {
        budgetRemaining: { iterations: 41, timeSeconds: 512.5, tokens: 98_800, cost: '4.982' },
      }),
    },
    problems: ['forbidden', 'not-found', 'session-ended', 'idempotency-mismatch', 'database-unavailable'],
  },
];
