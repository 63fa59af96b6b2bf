import { reportedUsageSchema, usageSchema } from '../../public/values/budget.ts';
import { sessionUsageSchema } from '../../public/values/resources.ts';
import { json } from '../parts/answers.ts';
import type { Operation } from '../parts/operation.ts';
import { idempotencyHeaders } from '../parts/parameters.ts';
import { sessionPath } from '../parts/path-parameters.ts';
import { keySchemes } from '../parts/security.ts';

/** Reports of what hosts have spent, and the use of sessions. */
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
  {
    method: 'get',
    path: '/v1/sessions/{sessionId}/usage',
    operationId: 'readUsage',
    tag: 'Sessions',
    security: keySchemes,
    summary: 'Read the use of CPU, memory and storage',
    description: 'CPU and memory are measured in the sandbox, so they are only as true as the code in it lets them be.',
    params: sessionPath,
    answers: {
      200: json('The use so far, and that of the sandbox now', sessionUsageSchema, {
        cpuSeconds: 12.5,
        memoryBytesMax: 104_857_600,
        historyBytes: 20_480,
        keptBytes: 1_048_576,
        sandbox: {
          memoryBytes: 83_886_080,
          processes: 3,
          diskBytesUsed: 1_073_741_824,
          diskBytesTotal: 10_737_418_240,
        },
      }),
    },
    problems: ['forbidden', 'not-found', 'session-ended', 'database-unavailable'],
  },
];
