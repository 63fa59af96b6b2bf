import { page } from '../../public/values/page.ts';
import { webhookDeliverySchema } from '../../public/webhook.ts';
import { json } from '../parts/answers.ts';
import * as examples from '../parts/examples.ts';
import type { Operation } from '../parts/operation.ts';
import { pageQuery } from '../parts/parameters.ts';
import { sessionPath } from '../parts/path-parameters.ts';
import { keySchemes } from '../parts/security.ts';

const delivery = {
  id: 'whd_01kaf46n7p8q9r0s1t2v3w4x5y',
  webhookId: 'whk_01kaf46m6n7p8q9r0s1t2v3w4x',
  url: 'https://hooks.example.com/holdfast',
  event: 'step.ended',
  subjectId: examples.stepId,
  status: 'pending',
  attempts: 1,
  responseStatus: 503,
  fault: 'the receiver answered 503',
  createdAt: examples.time(7),
  lastAttemptAt: examples.time(8),
  nextAttemptAt: examples.time(10),
};

/** Deliveries of ends to webhooks. */
export const webhookOperations: Operation[] = [
  {
    method: 'get',
    path: '/v1/sessions/{sessionId}/webhooks/deliveries',
    operationId: 'listWebhookDeliveries',
    tag: 'Webhooks',
    security: keySchemes,
    summary: 'List the deliveries to the webhooks of a session, newest first',
    description:
      'Each end is delivered at least once to each webhook that wants it: with growing delays until a receiver answers with a status from 200 to 299, 18 times at most, ' +
      'in about a day. Redirects are not followed. The request is a POST of a `WebhookBody` with the headers of Standard Webhooks. A delivery is listed for a week after its last attempt.',
    params: sessionPath,
    query: pageQuery,
    answers: {
      200: json('A page of deliveries', page(webhookDeliverySchema), { items: [delivery], nextCursor: null }),
    },
    problems: ['forbidden', 'not-found', 'session-ended', 'database-unavailable'],
  },
];
