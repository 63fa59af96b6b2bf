import * as agent from '../../agent/snapshots.ts';
import { json, nothing } from '../parts/answers.ts';
import * as examples from '../parts/examples.ts';
import type { Operation } from '../parts/operation.ts';
import { tokenSchemes } from '../parts/security.ts';
import { agentContextPath, refusedToken } from './operation-parts.ts';

const tag = 'State';

/** Saves the state of contexts and gives it back. */
export const agentStateOperations: Operation[] = [
  {
    method: 'post',
    path: '/v1/contexts/{contextId}/snapshot',
    operationId: 'takeSnapshot',
    tag,
    security: tokenSchemes,
    summary: 'Save the state of an idle context',
    params: agentContextPath,
    body: { schema: agent.takeSnapshotSchema, example: { bytesMax: 268_435_456, timeoutMs: 20_000 } },
    answers: {
      200: {
        description: 'The archive',
        content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
      },
      204: nothing('The context has run nothing'),
    },
    problems: [
      ...refusedToken,
      'not-found',
      'context-busy',
      'context-deleted',
      'snapshot-refused',
      'unsupported-by-runtime',
      'sandbox-failed',
      'workspace-full',
    ],
  },
  {
    method: 'put',
    path: '/v1/contexts/{contextId}/archive',
    operationId: 'putStateArchive',
    tag,
    security: tokenSchemes,
    summary: 'Upload an archive for the recovery of a context',
    params: agentContextPath,
    query: agent.archiveQuerySchema,
    upload: ['application/octet-stream'],
    answers: { 204: nothing('The archive is kept until the context is recovered') },
    problems: [...refusedToken, 'session-ended', 'quota-exceeded', 'body-too-large', 'workspace-full'],
  },
  {
    method: 'post',
    path: '/v1/contexts/{contextId}/recover',
    operationId: 'recoverContext',
    tag,
    security: tokenSchemes,
    summary: 'Give a context a state',
    params: agentContextPath,
    query: agent.archiveQuerySchema,
    body: {
      schema: agent.recoverContextSchema,
      example: {
        language: 'python',
        env: {},
        hasArchive: false,
        steps: [{ stepId: examples.stepId, code: 'def f(): return 1', status: 'succeeded', replay: false }],
        timeoutMs: 20_000,
      },
    },
    answers: {
      200: json('The state of the context', agent.recoveredContextSchema, {
        contextEpoch: 2,
        restored: [],
        replayed: ['f'],
        lost: [],
        stopped: null,
      }),
    },
    problems: [
      'policy-denied',
      ...refusedToken,
      'not-found',
      'context-busy',
      'session-paused',
      'context-deleted',
      'session-ended',
      'quota-exceeded',
      'unsupported-by-runtime',
      'sandbox-failed',
      'workspace-full',
    ],
  },
];
