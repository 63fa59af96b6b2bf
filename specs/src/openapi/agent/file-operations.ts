import * as z from 'zod';
import { agentWrittenSchema, changeSchema, digestPageSchema, restoredSchema } from '../../agent/changes.ts';
import { watchLineSchema } from '../../agent/watches.ts';
import {
  fileListSchema,
  fileStatSchema,
  listDepthMax,
  makeDirectorySchema,
  moveFileSchema,
} from '../../public/file.ts';
import { watchFilesQuerySchema } from '../../public/file-event.ts';
import type { ProblemSlug } from '../../public/values/problems.ts';
import { sandboxPathSchema } from '../../public/values/workspace-path.ts';
import { bytes, json, nothing } from '../parts/answers.ts';
import { fileStat } from '../parts/file-examples.ts';
import type { Operation } from '../parts/operation.ts';
import { tokenSchemes } from '../parts/security.ts';
import { refusedToken } from './operation-parts.ts';

const path = sandboxPathSchema.meta({
  description: 'Relative to the workspace, or absolute below another root of the sandbox',
  example: 'data.csv',
});
const version = changeSchema.shape.version.meta({
  description: 'The `version` of a change',
  example: 'f4:1767323045.6780000000:42:644',
});
const flag = (description: string) => z.enum(['true', 'false']).default('false').meta({ description, example: 'true' });
const restoring = restoredSchema.optional().meta({
  description:
    'Gives exactly this path a state of the world: a file with this mode (`file` if it is not known), a `link` whose target is the body, a `directory`, or nothing (`absent`). No link is followed, and directories that their owner could not use become usable',
  example: '0644',
});
const etag = (description: string) => z.string().optional().meta({ description, example: '"9f86d08…"' });
const pathProblems: readonly ProblemSlug[] = [...refusedToken, 'not-found', 'outside-workspace', 'path-conflict'];
const written = {
  path: 'data.csv',
  size: 4,
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  executable: false,
  mode: '0644',
};
const entry = { path: 'data.csv', kind: 'file', size: 4, modifiedAt: '2026-01-02T03:04:05.678Z' };

/** Files in the workspace. */
export const agentFileOperations: Operation[] = [
  {
    method: 'get',
    path: '/v1/files',
    operationId: 'readFile',
    tag: 'Files',
    security: tokenSchemes,
    summary: 'Read a file',
    description:
      'Supports a single range and conditional headers as in RFC 9110, and `HEAD`. The ETag is the SHA-256. With `version` the answer is the whole file without an ETag, or 412 if the file has changed since; the connection breaks off if the file changes while it is read.',
    query: z.object({ path, version }),
    headers: z.object({
      Range: z.string().optional().meta({ description: 'A single range of bytes', example: 'bytes=0-99' }),
      'If-Range': etag('Send the range only if the file has this ETag'),
      'If-None-Match': etag('Answer 304 if the file has this ETag'),
      'If-Match': etag('Answer 412 unless the file has this ETag'),
    }),
    answers: { 200: bytes('The file'), 206: bytes('The requested range'), 304: nothing('The file has not changed') },
    problems: [...pathProblems, 'precondition-failed', 'range-not-satisfiable'],
  },
  {
    method: 'put',
    path: '/v1/files',
    operationId: 'writeFile',
    tag: 'Files',
    security: tokenSchemes,
    summary: 'Write a file',
    description: 'The file is replaced atomically after its whole content has arrived.',
    query: z.object({ path }),
    headers: z.object({
      'Content-Digest': z.string().optional().meta({
        description: 'The SHA-256 of the body (RFC 9530)',
        example: 'sha-256=:n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=:',
      }),
      'Holdfast-Executable': z.literal('true').optional().meta({
        description: 'The owner of the file may execute it. Without it, a file that is replaced keeps its mode',
        example: 'true',
      }),
      'Holdfast-Restore': restoring,
      'If-Match': etag('Replace the file only if it has this ETag'),
      'If-None-Match': z
        .string()
        .optional()
        .meta({ description: '`*`: do not replace an existing file', example: '*' }),
    }),
    upload: ['application/octet-stream'],
    answers: {
      200: json('The file was replaced', agentWrittenSchema, written),
      201: json('The file was created', agentWrittenSchema, written),
    },
    problems: [...pathProblems, 'precondition-failed', 'body-too-large', 'digest-mismatch', 'workspace-full'],
  },
  {
    method: 'delete',
    path: '/v1/files',
    operationId: 'deleteFile',
    tag: 'Files',
    security: tokenSchemes,
    summary: 'Delete a file, a link or a directory',
    description: 'Deletes a link itself, not its target.',
    query: z.object({ path, recursive: flag('Whether to delete a directory with everything in it') }),
    headers: z.object({ 'If-Match': etag('Delete the file only if it has this ETag'), 'Holdfast-Restore': restoring }),
    answers: { 204: nothing('Deleted') },
    problems: [...pathProblems, 'precondition-failed', 'workspace-full'],
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
      depth: z
        .number()
        .int()
        .min(1)
        .max(listDepthMax)
        .default(1)
        .meta({ description: 'How many levels of directories to list', example: 1 }),
    }),
    answers: { 200: json('The entries, sorted by path', fileListSchema, { items: [entry], truncated: false }) },
    problems: pathProblems,
  },
  {
    method: 'get',
    path: '/v1/files/stat',
    operationId: 'statFile',
    tag: 'Files',
    security: tokenSchemes,
    summary: 'Describe one path',
    description: 'Describes a link itself, not its target.',
    query: z.object({ path: path.optional() }),
    answers: { 200: json('The file, link or directory', fileStatSchema, fileStat) },
    problems: pathProblems,
  },
  {
    method: 'get',
    path: '/v1/files/events',
    operationId: 'watchFiles',
    tag: 'Files',
    security: tokenSchemes,
    summary: 'Watch a file or a directory',
    query: z.object(watchFilesQuerySchema.shape),
    answers: {
      200: {
        description: 'The events, one a line, until the reader leaves',
        content: { 'application/x-ndjson': { schema: watchLineSchema, example: { type: 'quiet' } } },
      },
    },
    problems: [...pathProblems, 'quota-exceeded'],
  },
  {
    method: 'get',
    path: '/v1/files/digests',
    operationId: 'listDigests',
    tag: 'Files',
    security: tokenSchemes,
    summary: 'List all directories, and all files with their digests',
    description:
      'Directories and regular files in the order of a walk through the workspace, which follows no links. Those whose names no request can have are among the others.',
    query: z.object({
      after: z.string().optional().meta({ description: 'The `next` of the page before', example: 'ZGF0YS5jc3Y' }),
      bytesMax: z.number().int().min(0).meta({ description: 'Larger files get no digest', example: 1_048_576 }),
    }),
    answers: {
      200: json('A page of at most 1,000 files and 1,000 directories', digestPageSchema, {
        files: [
          {
            path: 'data.csv',
            size: 4,
            version: 'f4:1767323045.6780000000:42:644',
            executable: false,
            mode: '0644',
            sha256: written.sha256,
          },
        ],
        directories: ['plots'],
        unreadable: [],
        links: [{ path: 'latest', target: 'plots' }],
        next: null,
      }),
    },
    problems: refusedToken,
  },
  {
    method: 'post',
    path: '/v1/files/move',
    operationId: 'moveFile',
    tag: 'Files',
    security: tokenSchemes,
    summary: 'Move a file, a link or a directory',
    description: 'Moves a link itself, not its target.',
    body: { schema: moveFileSchema, example: { from: 'data.csv', to: 'old/data.csv' } },
    answers: { 204: nothing('Moved') },
    problems: [...pathProblems, 'workspace-full'],
  },
  {
    method: 'post',
    path: '/v1/directories',
    operationId: 'makeDirectory',
    tag: 'Files',
    security: tokenSchemes,
    summary: 'Create a directory and its parents',
    headers: z.object({ 'Holdfast-Restore': restoring }),
    body: { schema: makeDirectorySchema, example: { path: 'plots' } },
    answers: { 201: nothing('Created'), 204: nothing('It already exists') },
    problems: [...pathProblems, 'workspace-full'],
  },
];
