import * as z from 'zod';
import { forkSchema, forksSchema } from '../../public/fork.ts';
import { createSnapshotSchema, restoredSchema, restoreSchema, snapshotSchema } from '../../public/state.ts';
import type { ProblemSlug } from '../../public/values/problems.ts';
import { created, json, nothing } from '../parts/answers.ts';
import * as examples from '../parts/examples.ts';
import type { Operation } from '../parts/operation.ts';
import { idempotencyHeaders } from '../parts/parameters.ts';
import { sessionPath, snapshotPath } from '../parts/path-parameters.ts';
import { keySchemes } from '../parts/security.ts';
import { snapshot } from '../parts/snapshot-examples.ts';

const tag = 'Snapshots';
const security = keySchemes;
const known: readonly ProblemSlug[] = ['forbidden', 'not-found', 'session-ended', 'database-unavailable'];
const live: readonly ProblemSlug[] = [
  ...known,
  'context-busy',
  'context-deleted',
  'session-not-active',
  'session-paused',
  'snapshot-refused',
  'unsupported-by-runtime',
  'quota-exceeded',
  'sandbox-failed',
  'sandbox-unreachable',
  'session-starting',
  'storage-unavailable',
  'workspace-full',
];
/** Problems of an operation that saves the files of a workspace. */
const saving: readonly ProblemSlug[] = ['outside-workspace', 'path-conflict', 'world-unsettled'];

/** Snapshots of the contexts of a session, and forks of the session. */
export const snapshotOperations: Operation[] = [
  {
    method: 'post',
    path: '/v1/sessions/{sessionId}/snapshots',
    operationId: 'createSnapshot',
    tag,
    security,
    summary: 'Save the state of a context and the files of the workspace',
    description:
      'The context must be idle. Names whose values cannot be saved, and files beyond a limit, are listed with the reason. The state and the files count for the tenant.',
    params: sessionPath,
    body: { schema: createSnapshotSchema, example: { contextId: 'python' }, required: false },
    answers: { 201: created('The snapshot', snapshotSchema, snapshot) },
    problems: [...live, ...saving],
  },
  {
    method: 'get',
    path: '/v1/sessions/{sessionId}/snapshots',
    operationId: 'listSnapshots',
    tag,
    security,
    summary: 'List the snapshots of a session, newest first',
    params: sessionPath,
    answers: { 200: json('The snapshots', z.object({ items: z.array(snapshotSchema) }), { items: [snapshot] }) },
    problems: known,
  },
  {
    method: 'delete',
    path: '/v1/sessions/{sessionId}/snapshots/{snapshotId}',
    operationId: 'deleteSnapshot',
    tag,
    security,
    summary: 'Delete a snapshot that was asked for',
    params: snapshotPath,
    answers: { 204: nothing('The snapshot is deleted') },
    problems: known,
  },
  {
    method: 'post',
    path: '/v1/sessions/{sessionId}/restore',
    operationId: 'restoreSnapshot',
    tag,
    security,
    summary: 'Give a context the state of a snapshot',
    description:
      'Replaces the state of the context that the snapshot was taken of; that of the default context of its language if it was taken in another session of the same tenant. The files of the workspace stay as they are.',
    params: sessionPath,
    body: { schema: restoreSchema, example: { snapshotId: snapshot.id } },
    answers: {
      200: json('The context as it is now', restoredSchema, {
        contextId: 'python',
        contextEpoch: 2,
        restored: ['x'],
        replayed: [],
        lost: [{ name: 'connection', reason: 'a socket cannot be saved' }],
        stopped: null,
      }),
    },
    problems: ['policy-denied', ...live],
  },
  {
    method: 'post',
    path: '/v1/sessions/{sessionId}/fork',
    operationId: 'forkSession',
    tag,
    security,
    summary: 'Start sessions with the state and the files of a session',
    description:
      'Saves all contexts and the files of the session, which must run no step, and starts new sessions with them and with its settings. With `snapshotId` they start from that snapshot instead, and the session may have ended. `lastRecovery` of each reports what came back. Background processes are not copied. Either all of the sessions start, or none is left. The session itself does not change.',
    headers: idempotencyHeaders,
    params: sessionPath,
    body: { schema: forkSchema, example: { count: 2 }, required: false },
    answers: {
      201: created('The new sessions, ready for steps. `Location` is that of the first', forksSchema, {
        items: [
          {
            ...examples.session,
            lastRecovery: {
              epoch: 1,
              time: '2026-01-15T10:03:00.000Z',
              contexts: [
                { contextId: 'python', language: 'python', restored: ['x'], replayed: [], lost: [], stopped: null },
              ],
              omitted: 0,
              files: { restored: 3, lost: [] },
            },
          },
        ],
      }),
    },
    problems: ['policy-denied', ...live, ...saving, 'idempotency-conflict', 'idempotency-mismatch', 'draining'],
  },
];
