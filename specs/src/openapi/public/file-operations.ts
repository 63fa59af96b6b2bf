import * as z from 'zod';
import { fileListSchema, makeDirectorySchema, moveFileSchema, writtenFileSchema } from '../../public/file.ts';
import type { ProblemSlug } from '../../public/problems.ts';
import { bytes, json, nothing } from '../parts/answers.ts';
import * as examples from '../parts/examples.ts';
import type { Operation } from '../parts/operation.ts';
import { contentHeaders, deleteFileQuery, filePath, listFilesQuery, sessionPath } from '../parts/parameters.ts';
import { keySchemes } from '../parts/security.ts';

const tag = 'Files';
const security = keySchemes;
const etag = (description: string) => z.string().optional().meta({ description, example: '"9f86d08…"' });

/** What all that leads to a sandbox can meet. */
export const fileProblems: readonly ProblemSlug[] = [
  'forbidden',
  'outside-workspace',
  'not-found',
  'path-conflict',
  'session-ended',
  'sandbox-failed',
  'sandbox-unreachable',
  'session-starting',
  'database-unavailable',
];

/** The files of a session: the working copy as it is now, and the world, with which a new sandbox begins. */
export const fileOperations: Operation[] = [
  {
    method: 'get',
    path: '/v1/sessions/{sessionId}/files',
    operationId: 'listFiles',
    tag,
    security,
    summary: 'List files and directories',
    params: sessionPath,
    query: listFilesQuery,
    answers: {
      200: json('What is there now, by path', fileListSchema, { items: [examples.fileEntry], truncated: false }),
    },
    problems: fileProblems,
  },
  {
    method: 'get',
    path: '/v1/sessions/{sessionId}/files/{path}',
    operationId: 'readFile',
    tag,
    security,
    summary: 'Read a file',
    description:
      'As RFC 9110 has it for one range and for conditions; the ETag is the sha256, the content type goes by the name. Answers `HEAD` too. ' +
      'The connection is cut off where the file becomes shorter meanwhile.',
    params: filePath,
    headers: contentHeaders.extend({ 'If-Match': etag('Sends only this file') }),
    answers: { 200: bytes('The file'), 206: bytes('The range'), 304: nothing('It is the file that the caller has') },
    problems: [...fileProblems, 'precondition-failed', 'range-not-satisfiable'],
  },
  {
    method: 'put',
    path: '/v1/sessions/{sessionId}/files/{path}',
    operationId: 'writeFile',
    tag,
    security,
    summary: 'Write a file',
    description:
      'Directories on the way are made. The file has its new content at once, when all of it has come, in the world and in the workspace, or ' +
      'in neither.',
    params: filePath,
    headers: z.object({
      'Content-Digest': z.string().optional().meta({
        description: 'The sha-256 of the body (RFC 9530)',
        example: 'sha-256=:n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=:',
      }),
      'If-Match': etag('Replaces only this file'),
      'If-None-Match': z.string().optional().meta({ description: '`*`: replaces no file', example: '*' }),
    }),
    upload: ['application/octet-stream'],
    answers: {
      200: json('The file was replaced', writtenFileSchema, examples.writtenFile),
      201: json('The file is new', writtenFileSchema, examples.writtenFile),
    },
    problems: [
      ...fileProblems,
      'precondition-failed',
      'body-too-large',
      'unsupported-media-type',
      'digest-mismatch',
      'workspace-full',
      'storage-unavailable',
    ],
  },
  {
    method: 'delete',
    path: '/v1/sessions/{sessionId}/files/{path}',
    operationId: 'deleteFile',
    tag,
    security,
    summary: 'Delete a file, a link itself or a directory',
    params: filePath,
    query: deleteFileQuery,
    headers: z.object({ 'If-Match': etag('Deletes only this file') }),
    answers: { 204: nothing('Deleted') },
    problems: [...fileProblems, 'precondition-failed', 'workspace-full'],
  },
  {
    method: 'post',
    path: '/v1/sessions/{sessionId}/move',
    operationId: 'moveFile',
    tag,
    security,
    summary: 'Move a file, a link itself or a directory',
    params: sessionPath,
    body: { schema: moveFileSchema, example: { from: 'data.csv', to: 'old/data.csv' } },
    answers: { 204: nothing('Moved') },
    problems: [...fileProblems, 'workspace-full'],
  },
  {
    method: 'post',
    path: '/v1/sessions/{sessionId}/directories',
    operationId: 'makeDirectory',
    tag,
    security,
    summary: 'Make a directory and those above it',
    description: 'A new sandbox of the session has only the directories in which there are files.',
    params: sessionPath,
    body: { schema: makeDirectorySchema, example: { path: 'plots' } },
    answers: { 201: nothing('Made'), 204: nothing('It is there already') },
    problems: [...fileProblems, 'workspace-full'],
  },
];
