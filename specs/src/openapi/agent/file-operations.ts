import * as z from 'zod';
import { changeSchema } from '../../public/artifact.ts';
import {
  fileListSchema,
  filePathSchema,
  listDepthMax,
  makeDirectorySchema,
  moveFileSchema,
  writtenFileSchema,
} from '../../public/file.ts';
import type { ProblemSlug } from '../../public/problems.ts';
import { bytes, json, nothing } from '../parts/answers.ts';
import type { Operation } from '../parts/operation.ts';
import { tokenSchemes } from '../parts/security.ts';
import { refusedToken } from './operation-parts.ts';

const path = filePathSchema.meta({
  description: 'Relative to the workspace, or below /workspace',
  example: 'data.csv',
});
const version = changeSchema.shape.version.meta({
  description: 'The state that a change names',
  example: 'f4:1767323045.6780000000:42',
});
const flag = (description: string) => z.enum(['true', 'false']).default('false').meta({ description, example: 'true' });
const etag = (description: string) => z.string().optional().meta({ description, example: '"9f86d08…"' });
const lost: readonly ProblemSlug[] = [...refusedToken, 'not-found', 'outside-workspace', 'path-conflict'];
const written = {
  path: 'data.csv',
  size: 4,
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
};
const entry = { path: 'data.csv', kind: 'file', size: 4, modifiedAt: '2026-01-02T03:04:05.678Z' };

/** Files at the agent. */
export const agentFileOperations: Operation[] = [
  {
    method: 'get',
    path: '/v1/files',
    operationId: 'readFile',
    tag: 'Files',
    security: tokenSchemes,
    summary: 'Read a file',
    description:
      'As RFC 9110 has it for one range and for conditions; the ETag is the sha256. Answers `HEAD` too. With `version` it is the whole file without ETag, 412 where it is in another state by now, and the connection is cut off where it changes while it is read.',
    query: z.object({ path, version }),
    headers: z.object({
      Range: z.string().optional().meta({ description: 'One range of bytes', example: 'bytes=0-99' }),
      'If-Range': etag('Sends the range only of this file'),
      'If-None-Match': etag('Sends nothing of this file'),
      'If-Match': etag('Sends only this file'),
    }),
    answers: { 200: bytes('The file'), 206: bytes('The range'), 304: nothing('It is the file that the caller has') },
    problems: [...lost, 'precondition-failed', 'range-not-satisfiable'],
  },
  {
    method: 'put',
    path: '/v1/files',
    operationId: 'writeFile',
    tag: 'Files',
    security: tokenSchemes,
    summary: 'Write a file',
    description: 'The file has its new content at once, when all of it has come, or not at all.',
    query: z.object({ path }),
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
      200: json('The file was replaced', writtenFileSchema, written),
      201: json('The file is new', writtenFileSchema, written),
    },
    problems: [...lost, 'precondition-failed', 'body-too-large', 'digest-mismatch', 'workspace-full'],
  },
  {
    method: 'delete',
    path: '/v1/files',
    operationId: 'deleteFile',
    tag: 'Files',
    security: tokenSchemes,
    summary: 'Delete a file, a link itself or a directory',
    query: z.object({ path, recursive: flag('Whether a directory goes with all that is in it') }),
    headers: z.object({ 'If-Match': etag('Deletes only this file') }),
    answers: { 204: nothing('Deleted') },
    problems: [...lost, 'precondition-failed', 'workspace-full'],
  },
  {
    method: 'get',
    path: '/v1/files/list',
    operationId: 'listFiles',
    tag: 'Files',
    security: tokenSchemes,
    summary: 'List files and directories',
    query: z.object({
      path: path.optional(),
      depth: z.number().int().min(1).max(listDepthMax).default(1).meta({ description: 'How far down', example: 1 }),
    }),
    answers: { 200: json('What is there', fileListSchema, { items: [entry], truncated: false }) },
    problems: lost,
  },
  {
    method: 'post',
    path: '/v1/files/move',
    operationId: 'moveFile',
    tag: 'Files',
    security: tokenSchemes,
    summary: 'Move a file, a link itself or a directory',
    body: { schema: moveFileSchema, example: { from: 'data.csv', to: 'old/data.csv' } },
    answers: { 204: nothing('Moved') },
    problems: [...lost, 'workspace-full'],
  },
  {
    method: 'post',
    path: '/v1/directories',
    operationId: 'makeDirectory',
    tag: 'Files',
    security: tokenSchemes,
    summary: 'Make a directory and those above it',
    body: { schema: makeDirectorySchema, example: { path: 'plots' } },
    answers: { 201: nothing('Made'), 204: nothing('It is there already') },
    problems: [...lost, 'workspace-full'],
  },
];
