import * as z from 'zod';
import { readinessSchema } from '../../public/readiness.ts';
import { json, text } from '../parts/answers.ts';
import type { Operation } from '../parts/operation.ts';

const tag = 'Server';
const security: readonly string[] = [];

/** What needs no key: for probes, monitoring and readers. */
export const serverOperations: Operation[] = [
  {
    method: 'get',
    path: '/healthz',
    operationId: 'getHealth',
    tag,
    security,
    summary: 'Whether the process answers',
    answers: { 200: json('It does', z.object({ status: z.literal('ok') }), { status: 'ok' }) },
  },
  {
    method: 'get',
    path: '/readyz',
    operationId: 'getReadiness',
    tag,
    security,
    summary: 'Whether it can do its work',
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
    summary: 'Metrics for Prometheus',
    description: 'Without a key, and without ids, names or code in the labels. Keep it off the public network.',
    answers: { 200: text('Metrics in the text format of Prometheus', 'text/plain') },
  },
  {
    method: 'get',
    path: '/openapi.json',
    operationId: 'getOpenApi',
    tag,
    security,
    summary: 'This document',
    answers: { 200: json('OpenAPI 3.1', z.looseObject({}), { openapi: '3.1.0' }) },
  },
  {
    method: 'get',
    path: '/docs',
    operationId: 'getDocs',
    tag,
    security,
    summary: 'This document, to be read',
    answers: { 200: text('One page that needs no network', 'text/html') },
  },
];

function readiness(ready: boolean) {
  return { ready, checks: { database: ready ? 'ok' : 'cannot be reached' }, agentAuthBypassed: false };
}
