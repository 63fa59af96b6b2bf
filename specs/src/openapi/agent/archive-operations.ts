import * as z from 'zod';
import { agentUnpackedSchema, archiveFormatSchema, filePathSchema } from '../../public/file.ts';
import type { ProblemSlug } from '../../public/problems.ts';
import { json } from '../parts/answers.ts';
import type { Answer, Operation } from '../parts/operation.ts';
import { tokenSchemes } from '../parts/security.ts';
import { refusedToken } from './operation-parts.ts';

const query = z.object({
  path: filePathSchema.optional().meta({ description: 'The directory; the workspace without it', example: 'plots' }),
  format: archiveFormatSchema.meta({ description: 'The kind of archive', example: 'tar' }),
});
const change = {
  path: 'plots/a.txt',
  change: 'created',
  size: 4,
  concurrent: false,
  version: 'f4:1767323045.6780000000:42',
};
const contentTypes = ['application/x-tar', 'application/zip'] as const;
const problems: readonly ProblemSlug[] = [...refusedToken, 'not-found', 'outside-workspace', 'path-conflict'];
const binary = { schema: { type: 'string', format: 'binary' } } as const;
const archive: Answer = {
  description: 'The archive as it comes; cut off where a file becomes shorter meanwhile',
  content: Object.fromEntries(contentTypes.map((contentType) => [contentType, binary])),
};

/** Archives at the agent. */
export const agentArchiveOperations: Operation[] = [
  {
    method: 'get',
    path: '/v1/archive',
    operationId: 'readArchive',
    tag: 'Files',
    security: tokenSchemes,
    summary: 'Read a directory as an archive',
    description: 'Its directories and regular files; links and all else are left out.',
    query,
    answers: { 200: archive },
    problems,
  },
  {
    method: 'put',
    path: '/v1/archive',
    operationId: 'writeArchive',
    tag: 'Files',
    security: tokenSchemes,
    summary: 'Unpack an archive into a directory',
    description:
      'All of it is looked at before the first file takes its place, and each takes it at once. Links, devices, names that are absolute or lead upwards, duplicates and bombs are refused.',
    query,
    upload: contentTypes,
    answers: { 200: json('Unpacked', agentUnpackedSchema, { files: 1, bytes: 4, changes: [change] }) },
    problems: [...problems, 'archive-refused', 'body-too-large', 'workspace-full'],
  },
];
