import * as z from 'zod';
import { readinessSchema } from '../../public/readiness.ts';
import { json, text } from '../parts/answers.ts';
import type { Operation } from '../parts/operation.ts';

const tag = 'Server';
const security: readonly string[] = [];

/** The operations for probes, monitoring and readers. They need no key. */
export const serverOperations: Operation[] = [
  {
    method: 'get',
    path: '/healthz',
    operationId: 'getHealth',
    tag,
    security,
    summary: 'Check that the process answers',
    answers: { 200: json('The process answers', z.object({ status: z.literal('ok') }), { status: 'ok' }) },
  },
  {
    method: 'get',
    path: '/readyz',
    operationId: 'getReadiness',
    tag,
    security,
    summary: 'Check that the server can work',
    answers: {
      200: json('Ready', readinessSchema, readiness(true)),
      503: json('Not ready', readinessSchema, readiness(false)),
    },
  },
  {
    method: 'get',
    path: '/metrics',
    operationId: 'getMetrics',
    tag,
    security,
    summary: 'Read the metrics for Prometheus',
    description:
      'On the port `HOLDFAST_METRICS_PORT`, which needs no key; only in development on the public port, if that variable is not set. The labels contain no ids, names or code.',
    answers: { 200: text('The metrics in the text format of Prometheus', 'text/plain') },
  },
  {
    method: 'get',
    path: '/openapi.json',
    operationId: 'getOpenApi',
    tag,
    security,
    summary: 'Read this document as OpenAPI',
    answers: { 200: json('The OpenAPI 3.1 document', z.looseObject({}), { openapi: '3.1.0' }) },
  },
  {
    method: 'get',
    path: '/docs',
    operationId: 'getDocs',
    tag,
    security,
    summary: 'Read this document as a web page',
    answers: { 200: text('One page that loads nothing else', 'text/html') },
  },
];

function readiness(ready: boolean) {
  return { ready, checks: { database: ready ? 'ok' : 'cannot be reached' }, agentAuthBypassed: false };
}
