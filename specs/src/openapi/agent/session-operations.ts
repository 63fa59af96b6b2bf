import * as z from 'zod';
import * as agent from '../../agent/agent-api.ts';
import { json, nothing } from '../parts/answers.ts';
import * as examples from '../parts/examples.ts';
import type { Operation } from '../parts/operation.ts';
import { tokenSchemes } from '../parts/security.ts';
import { refusedToken } from './operation-parts.ts';

const uid = 'uid_01kaf41k8m9n0p1r2s3t4v5w6x';
const status = { uid, sessionId: examples.sessionId, epoch: 1, fenced: false };

/** The agent itself and the session it serves. */
export const agentSessionOperations: Operation[] = [
  {
    method: 'get',
    path: '/healthz',
    operationId: 'getHealth',
    tag: 'Agent',
    security: [],
    summary: 'Whether the agent answers',
    answers: { 200: json('It does', z.object({ status: z.literal('ok') }), { status: 'ok' }) },
  },
  {
    method: 'post',
    path: '/v1/proof',
    operationId: 'prove',
    tag: 'Agent',
    security: [],
    summary: 'Prove that this is the sandbox with this uid',
    description: 'Comes first on every new connection, before a token or a body goes out.',
    body: { schema: agent.proofRequestSchema, example: { nonce: 'n'.repeat(43) } },
    answers: {
      200: json('The signature of uid and nonce', agent.proofSchema, {
        uid,
        publicKey: 'p'.repeat(43),
        signature: 's'.repeat(86),
      }),
    },
  },
  {
    method: 'put',
    path: '/v1/session',
    operationId: 'bindSession',
    tag: 'Session',
    security: tokenSchemes,
    summary: 'Tell the sandbox what its session is like',
    description: 'The same again is no error. Starts the kernel of the default context, unless `prestart` is false.',
    body: { schema: agent.bindSchema, example: { language: 'python', env: {} } },
    answers: { 200: json('Bound', agent.agentStatusSchema, status) },
    problems: [...refusedToken, 'session-ended'],
  },
  {
    method: 'get',
    path: '/v1/session',
    operationId: 'getAgentStatus',
    tag: 'Session',
    security: tokenSchemes,
    summary: 'What the sandbox is',
    answers: {
      200: json('Status', agent.agentStatusSchema, status),
    },
    problems: refusedToken,
  },
  {
    method: 'post',
    path: '/v1/fence',
    operationId: 'fence',
    tag: 'Session',
    security: tokenSchemes,
    summary: 'Let no step start any more',
    description: 'Interrupts queued and running steps and answers when none is left.',
    answers: { 204: nothing('No step runs') },
    problems: refusedToken,
  },
];
