import { openedPortSchema, openPortSchema, portSchema } from '../../public/port.ts';
import { page } from '../../public/values/page.ts';
import type { ProblemSlug } from '../../public/values/problems.ts';
import { created, json, nothing } from '../parts/answers.ts';
import * as examples from '../parts/examples.ts';
import type { Operation } from '../parts/operation.ts';
import { idempotencyHeaders, pageQuery } from '../parts/parameters.ts';
import { portPath, sessionPath } from '../parts/path-parameters.ts';
import { keySchemes } from '../parts/security.ts';

const tag = 'Ports';
const known: readonly ProblemSlug[] = ['forbidden', 'not-found', 'session-ended', 'database-unavailable'];

const host = 'https://8000-01kaf3xq5t7e8m9n0p1r2s3t4v.preview.example.com';
const token = 'hfp_01kaf45m6n7p8q9r0s1t2v3w4y_LPJNul-wow4m6DsqxbninshWHlwfp0JecwQzYpOLmCQ';
const port = {
  id: examples.portId,
  sessionId: examples.sessionId,
  port: 8000,
  access: 'link',
  url: host,
  receivedBytes: 0,
  sentBytes: 0,
  createdAt: examples.time(9),
  expiresAt: '2026-01-15T11:00:09.000Z',
  revokedAt: null,
};

/** Servers in sandboxes, for visitors. */
export const portOperations: Operation[] = [
  {
    method: 'post',
    path: '/v1/sessions/{sessionId}/ports',
    operationId: 'openPort',
    tag,
    security: keySchemes,
    summary: 'Open a port of the sandbox to visitors',
    description:
      'A server that listens on the loopback of the sandbox gets HTTP requests and WebSockets under the host name in `url`, which a port of a session has for itself and always keeps. No network of the sandbox is opened. `access` decides who may visit. A visitor with `key` sends an API key with the scope `run` as `X-API-Key` or `Authorization: Bearer`; a link has its token in the address, from where it moves into a cookie of that host. Visitors are answered 502 `port-closed` while nothing listens; with the header `Holdfast-Wait-Seconds` they wait. The policy decides about the operation `port.open`.',
    params: sessionPath,
    headers: idempotencyHeaders,
    body: { schema: openPortSchema, example: { port: 8000, access: 'link', expiresSeconds: 3600 } },
    answers: {
      201: created('The port is open', openedPortSchema, { ...port, url: `${host}/?holdfast_token=${token}`, token }),
    },
    problems: [
      ...known,
      'policy-denied',
      'session-not-active',
      'session-paused',
      'idempotency-conflict',
      'idempotency-mismatch',
      'quota-exceeded',
      'not-configured',
      'port-closed',
      'sandbox-failed',
      'sandbox-unreachable',
      'session-starting',
    ],
  },
  {
    method: 'get',
    path: '/v1/sessions/{sessionId}/ports',
    operationId: 'listPorts',
    tag,
    security: keySchemes,
    summary: 'List the ports of a session',
    description: 'Newest first, also those that are closed by now. Tokens are not shown.',
    params: sessionPath,
    query: pageQuery,
    answers: { 200: json('A page of ports', page(portSchema), { items: [port], nextCursor: null }) },
    problems: [...known, 'not-configured'],
  },
  {
    method: 'delete',
    path: '/v1/sessions/{sessionId}/ports/{portId}',
    operationId: 'revokePort',
    tag,
    security: keySchemes,
    summary: 'Close a port',
    description:
      'Visitors are refused and their connections end, at once on the server that gets the request and within five seconds on all others. Closing it again has no effect.',
    params: portPath,
    answers: { 204: nothing('Closed') },
    problems: known,
  },
];
