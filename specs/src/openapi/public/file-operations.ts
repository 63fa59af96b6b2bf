import * as z from 'zod';
import {
  createFileLinkSchema,
  fileLinkSchema,
  fileListSchema,
  fileStatSchema,
  madeDirectorySchema,
  makeDirectorySchema,
  moveFileSchema,
  writtenFileSchema,
} from '../../public/file.ts';
import { fileEventSchema, watchFilesQuerySchema } from '../../public/file-event.ts';
import type { ProblemSlug } from '../../public/values/problems.ts';
import { bytes, createdAtPath, json, nothing } from '../parts/answers.ts';
import * as examples from '../parts/file-examples.ts';
import type { Operation } from '../parts/operation.ts';
import {
  contentHeaders,
  deleteFileQuery,
  fileSignatureQuery,
  listFilesQuery,
  statFileQuery,
} from '../parts/parameters.ts';
import { filePath, sessionPath } from '../parts/path-parameters.ts';
import { keyOrSignatureSchemes, keySchemes } from '../parts/security.ts';

const tag = 'Files';
const security = keySchemes;
const etag = (description: string) => z.string().optional().meta({ description, example: '"9f86d08…"' });

/** The problems of every operation that needs the workspace. */
export const fileProblems: readonly ProblemSlug[] = [
  'forbidden',
  'outside-workspace',
  'not-found',
  'path-conflict',
  'session-ended',
  'sandbox-failed',
  'sandbox-unreachable',
  'session-starting',
  'session-not-active',
  'session-paused',
  'database-unavailable',
];

/** The files of a session: the working copy in the sandbox, and the world, from which a new sandbox gets its files. */
export const fileOperations: Operation[] = [
  {
    method: 'get',
    path: '/v1/sessions/{sessionId}/files',
    operationId: 'listFiles',
    tag,
    security,
    summary: 'List files and directories',
    description:
      'The path of a file is a 400. In all operations on files, a path is relative to the workspace, or absolute below a root that the ' +
      'profile of the session allows, such as `/tmp`. Files outside the workspace belong to the sandbox: they are not kept in the ' +
      'world, have no artifacts and end with the sandbox.',
    params: sessionPath,
    query: listFilesQuery,
    answers: {
      200: json('The current entries, sorted by path', fileListSchema, {
        items: [examples.fileEntry],
        truncated: false,
      }),
    },
    problems: fileProblems,
  },
  {
    method: 'get',
    path: '/v1/sessions/{sessionId}/stat',
    operationId: 'statFile',
    tag,
    security,
    summary: 'Read kind, size, mode, owner, link target and times of one path',
    description: 'Describes a link itself, not its target.',
    params: sessionPath,
    query: statFileQuery,
    answers: { 200: json('The file, link or directory', fileStatSchema, examples.fileStat) },
    problems: fileProblems,
  },
  {
    method: 'get',
    path: '/v1/sessions/{sessionId}/files/{path}',
    operationId: 'readFile',
    tag,
    security: keyOrSignatureSchemes,
    summary: 'Read a file',
    description:
      'Supports a single range and conditional headers as in RFC 9110, and `HEAD`. The ETag is the SHA-256; the content type follows from ' +
      'the name. The connection breaks off if the file becomes shorter while it is read.',
    params: filePath,
    query: fileSignatureQuery,
    headers: contentHeaders.extend({ 'If-Match': etag('Answer 412 unless the file has this ETag') }),
    answers: { 200: bytes('The file'), 206: bytes('The requested range'), 304: nothing('The file has not changed') },
    problems: [...fileProblems, 'precondition-failed', 'range-not-satisfiable'],
  },
  {
    method: 'put',
    path: '/v1/sessions/{sessionId}/files/{path}',
    operationId: 'writeFile',
    tag,
    security: keyOrSignatureSchemes,
    summary: 'Write a file',
    description:
      'Creates missing directories. The file is replaced atomically after its whole content has arrived, both in the world and in the ' +
      'workspace, or in neither. Outside the workspace it is replaced atomically in the sandbox alone.',
    params: filePath,
    query: fileSignatureQuery,
    headers: z.object({
      'Content-Digest': z.string().optional().meta({
        description: 'The SHA-256 of the body (RFC 9530)',
        example: 'sha-256=:n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=:',
      }),
      'If-Match': etag('Replace the file only if it has this ETag'),
      'If-None-Match': z
        .string()
        .optional()
        .meta({ description: '`*`: do not replace an existing file', example: '*' }),
    }),
    upload: ['application/octet-stream'],
    answers: {
      200: json('The file was replaced', writtenFileSchema, examples.writtenFile),
      201: createdAtPath('The file was created', writtenFileSchema, examples.writtenFile),
    },
    problems: [
      ...fileProblems,
      'policy-denied',
      'proposal-conflict',
      'precondition-failed',
      'body-too-large',
      'unsupported-media-type',
      'digest-mismatch',
      'workspace-full',
      'storage-unavailable',
      'world-unsettled',
    ],
  },
  {
    method: 'get',
    path: '/v1/sessions/{sessionId}/files/events',
    operationId: 'watchFiles',
    tag,
    security,
    summary: 'Watch a file or a directory',
    description:
      'Without `path`, the answer is the file of the workspace that is called `events`. The first event is `ready`; list the files after it, ' +
      'and again after each `overflow`. The stream ends with the sandbox, and has no cursor: a client that comes again lists anew. ' +
      'A watch does not keep a session from idling out. A session has at most 16 watches at a time.',
    params: sessionPath,
    query: z.object(watchFilesQuerySchema.shape),
    answers: {
      200: {
        description: 'The events. Server-sent events unless `Accept` asks for `application/x-ndjson`',
        content: {
          'text/event-stream': {
            schema: {
              type: 'string',
              description:
                '`event` is the type, `data` a FileEvent. A comment is sent every 15 s; NDJSON has an empty line in its place.',
            },
            example: `event: modified\ndata: ${JSON.stringify(examples.fileEvent)}\n\n`,
          },
          'application/x-ndjson': { schema: fileEventSchema, example: examples.fileEvent },
        },
      },
    },
    problems: [...fileProblems, 'quota-exceeded'],
  },
  {
    method: 'post',
    path: '/v1/sessions/{sessionId}/files/links',
    operationId: 'createFileLink',
    tag,
    security,
    summary: 'Sign a URL for reading or writing a file',
    description:
      'Anyone who has the URL may do this one operation with this one file, without a key, until the URL expires or the key that asked for ' +
      'it is revoked. The file need not exist. The policy, the limits and the status of the session apply when the URL is used.',
    params: sessionPath,
    body: {
      schema: createFileLinkSchema,
      example: { path: 'plots/data.csv', operation: 'read', expiresSeconds: 3600 },
    },
    answers: { 200: json('The signed URL', fileLinkSchema, examples.fileLink) },
    problems: ['forbidden', 'not-found', 'session-ended', 'database-unavailable'],
  },
  {
    method: 'delete',
    path: '/v1/sessions/{sessionId}/files/{path}',
    operationId: 'deleteFile',
    tag,
    security,
    summary: 'Delete a file, a link or a directory',
    description: 'Deletes a link itself, not its target.',
    params: filePath,
    query: deleteFileQuery,
    headers: z.object({ 'If-Match': etag('Delete the file only if it has this ETag') }),
    answers: { 204: nothing('Deleted') },
    problems: [...fileProblems, 'proposal-conflict', 'precondition-failed', 'workspace-full', 'world-unsettled'],
  },
  {
    method: 'post',
    path: '/v1/sessions/{sessionId}/move',
    operationId: 'moveFile',
    tag,
    security,
    summary: 'Move a file, a link or a directory',
    description:
      'Moves a link itself, not its target. Nothing moves between the workspace and another root, as a file leaves or enters the world by ' +
      'being read and written.',
    params: sessionPath,
    body: { schema: moveFileSchema, example: { from: 'data.csv', to: 'old/data.csv' } },
    answers: { 204: nothing('Moved') },
    problems: [...fileProblems, 'policy-denied', 'proposal-conflict', 'workspace-full', 'world-unsettled'],
  },
  {
    method: 'post',
    path: '/v1/sessions/{sessionId}/directories',
    operationId: 'makeDirectory',
    tag,
    security,
    summary: 'Create a directory and its parents',
    params: sessionPath,
    body: { schema: makeDirectorySchema, example: { path: 'plots' } },
    answers: {
      201: createdAtPath('The directory was created', madeDirectorySchema, { path: 'plots' }),
      204: nothing('It already exists'),
    },
    problems: [...fileProblems, 'policy-denied', 'proposal-conflict', 'workspace-full', 'world-unsettled'],
  },
];
