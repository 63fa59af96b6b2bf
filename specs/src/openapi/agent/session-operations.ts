import * as z from 'zod';
import * as agent from '../../agent/session.ts';
import { sandboxUsageSchema } from '../../public/values/resources.ts';
import { json, nothing } from '../parts/answers.ts';
import * as examples from '../parts/examples.ts';
import type { Operation } from '../parts/operation.ts';
import { tokenSchemes } from '../parts/security.ts';
import { refusedToken } from './operation-parts.ts';

const uid = 'uid_01kaf41k8m9n0p1r2s3t4v5w6x';
const status = { uid, sessionId: examples.sessionId, epoch: 1, fenced: false };

/** The agent and the session that it serves. */
export const agentSessionOperations: Operation[] = [
  {
    method: 'get',
    path: '/healthz',
    operationId: 'getHealth',
    tag: 'Agent',
    security: [],
    summary: 'Check that the agent answers',
    answers: { 200: json('The agent answers', z.object({ status: z.literal('ok') }), { status: 'ok' }) },
  },
  {
    method: 'post',
    path: '/v1/proof',
    operationId: 'prove',
    tag: 'Agent',
    security: [],
    summary: 'Prove the identity of the sandbox',
    description: 'The data-plane calls this first on every new connection, before it sends a token or a body.',
    body: { schema: agent.proofRequestSchema, example: { nonce: 'n'.repeat(43) } },
    answers: {
      200: json('The signature of the uid and the nonce', agent.proofSchema, {
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
    summary: 'Configure the sandbox for its session',
    description:
      'Starts the kernel of the default context unless `prestart` is false. Repeating the request has no effect.',
    body: { schema: agent.bindSchema, example: { language: 'python', env: {} } },
    answers: { 200: json('The sandbox belongs to the session', agent.agentStatusSchema, status) },
    problems: [...refusedToken, 'policy-denied', 'session-ended', 'unsupported-by-runtime'],
  },
  {
    method: 'get',
    path: '/v1/session',
    operationId: 'getAgentStatus',
    tag: 'Session',
    security: tokenSchemes,
    summary: 'Read the identity of the sandbox and its session',
    answers: {
      200: json('The status', agent.agentStatusSchema, status),
    },
    problems: refusedToken,
  },
  {
    method: 'put',
    path: '/v1/policy',
    operationId: 'setPolicy',
    tag: 'Session',
    security: tokenSchemes,
    summary: 'Set the part of the policy that the agent enforces',
    description:
      'From the answer on, requests that start code and were decided by another revision are refused. A lower revision than the present one has no effect.',
    body: { schema: agent.agentPolicySchema, example: { revision: 1, allowShellCommands: false } },
    answers: { 204: nothing('The agent enforces it') },
    problems: refusedToken,
  },
  {
    method: 'post',
    path: '/v1/hold',
    operationId: 'hold',
    tag: 'Session',
    security: tokenSchemes,
    summary: 'Refuse steps and jobs for a while',
    description: 'The state does not change while it is saved. The hold ends after this time at the latest.',
    query: agent.holdQuerySchema,
    body: { schema: agent.holdSchema, example: { seconds: 120 } },
    answers: { 204: nothing('No step and no job is running') },
    problems: [...refusedToken, 'context-busy', 'session-ended'],
  },
  {
    method: 'delete',
    path: '/v1/hold',
    operationId: 'release',
    tag: 'Session',
    security: tokenSchemes,
    summary: 'Accept steps and jobs again',
    query: agent.holdQuerySchema,
    answers: { 204: nothing('Steps and jobs are accepted') },
    problems: refusedToken,
  },
  {
    method: 'post',
    path: '/v1/fence',
    operationId: 'fence',
    tag: 'Session',
    security: tokenSchemes,
    summary: 'Stop accepting steps',
    description:
      'Interrupts queued and running steps, and answers when all of them have ended. With `saving`, an agent that is told to stop leaves some seconds in which its state can be saved.',
    query: agent.fenceQuerySchema,
    answers: { 204: nothing('No step is running') },
    problems: refusedToken,
  },
  {
    method: 'get',
    path: '/v1/usage',
    operationId: 'getUsage',
    tag: 'Agent',
    security: tokenSchemes,
    summary: 'Read what the sandbox uses now',
    answers: {
      200: json('The use of memory and disk', sandboxUsageSchema, {
        memoryBytes: 83_886_080,
        processes: 3,
        diskBytesUsed: 1_073_741_824,
        diskBytesTotal: 10_737_418_240,
      }),
    },
    problems: refusedToken,
  },
];
