import { listedSnapshotSchema, namedSnapshotSchema, nameSnapshotSchema } from '../../public/state.ts';
import { page } from '../../public/values/page.ts';
import type { ProblemSlug } from '../../public/values/problems.ts';
import { bytes, created, json, nothing } from '../parts/answers.ts';
import type { Operation } from '../parts/operation.ts';
import { idempotencyHeaders, pageQuery } from '../parts/parameters.ts';
import { snapshotNamePath, snapshotPath } from '../parts/path-parameters.ts';
import { keySchemes } from '../parts/security.ts';
import { listedSnapshot, namedSnapshot, snapshot } from '../parts/snapshot-examples.ts';

const tag = 'Snapshots';
const security = keySchemes;
const known: readonly ProblemSlug[] = ['forbidden', 'not-found', 'database-unavailable'];
const archive = bytes('The archive; the connection breaks off if the snapshot is deleted while it is read');

/** Snapshots with a name, from which several sessions start, and archives of snapshots. */
export const namedSnapshotOperations: Operation[] = [
  {
    method: 'post',
    path: '/v1/snapshots',
    operationId: 'nameSnapshot',
    tag,
    security,
    summary: 'Keep a snapshot under a name',
    description:
      'The named snapshot belongs to the tenant: it stays when the session is deleted, it is never replaced, and any number of sessions start from it with `fromSnapshot`.',
    headers: idempotencyHeaders,
    body: { schema: nameSnapshotSchema, example: { name: 'with-data', snapshotId: snapshot.id } },
    answers: { 201: created('The snapshot', namedSnapshotSchema, namedSnapshot) },
    problems: [
      'forbidden',
      'idempotency-conflict',
      'idempotency-mismatch',
      'name-taken',
      'snapshot-refused',
      'quota-exceeded',
      'workspace-full',
      'database-unavailable',
    ],
  },
  {
    method: 'get',
    path: '/v1/snapshots',
    operationId: 'listNamedSnapshots',
    tag,
    security,
    summary: 'List the snapshots that have a name',
    query: pageQuery,
    answers: {
      200: json('A page of snapshots, by name', page(listedSnapshotSchema), {
        items: [listedSnapshot],
        nextCursor: null,
      }),
    },
    problems: ['forbidden', 'database-unavailable'],
  },
  {
    method: 'get',
    path: '/v1/snapshots/{name}',
    operationId: 'getNamedSnapshot',
    tag,
    security,
    summary: 'Read a snapshot that has a name',
    params: snapshotNamePath,
    answers: { 200: json('The snapshot', namedSnapshotSchema, namedSnapshot) },
    problems: known,
  },
  {
    method: 'delete',
    path: '/v1/snapshots/{name}',
    operationId: 'deleteNamedSnapshot',
    tag,
    security,
    summary: 'Delete a snapshot that has a name',
    description: 'Sessions that have started from it keep what they have.',
    params: snapshotNamePath,
    answers: { 204: nothing('The snapshot is deleted') },
    problems: known,
  },
  {
    method: 'get',
    path: '/v1/snapshots/{name}/archive',
    operationId: 'readNamedSnapshotArchive',
    tag,
    security,
    summary: 'Read a snapshot that has a name as an archive',
    description: 'For another deployment of the same operator, which has the same `HOLDFAST_TRANSFER_KEY`.',
    params: snapshotNamePath,
    answers: { 200: archive },
    problems: [...known, 'snapshot-refused', 'not-configured', 'storage-unavailable'],
  },
  {
    method: 'put',
    path: '/v1/snapshots/{name}/archive',
    operationId: 'writeSnapshotArchive',
    tag,
    security,
    summary: 'Keep the snapshot of another deployment under a name',
    description:
      'Takes an archive that another deployment of the same operator has made. An archive that is incomplete, was changed or is signed with another key is rejected, and nothing of it is kept.',
    params: snapshotNamePath,
    upload: ['application/octet-stream'],
    answers: { 201: created('The snapshot', namedSnapshotSchema, namedSnapshot) },
    problems: [
      'forbidden',
      'name-taken',
      'body-too-large',
      'unsupported-media-type',
      'archive-refused',
      'quota-exceeded',
      'not-configured',
      'storage-unavailable',
      'workspace-full',
      'snapshot-refused',
      'database-unavailable',
    ],
  },
  {
    method: 'get',
    path: '/v1/sessions/{sessionId}/snapshots/{snapshotId}/archive',
    operationId: 'readSnapshotArchive',
    tag,
    security,
    summary: 'Read a snapshot of a session as an archive',
    description:
      'For another deployment of the same operator, which has the same `HOLDFAST_TRANSFER_KEY`. The session may have ended.',
    params: snapshotPath,
    answers: { 200: archive },
    problems: [...known, 'session-ended', 'snapshot-refused', 'not-configured', 'storage-unavailable'],
  },
];
